# What the comparisons of tools/bench have in common: measuring in turn, medians, bounds, and how figures are shown.
# Sourced by tools/bench: uses `work`, `json` and `check`, and `check_bounds` of the suite.

# measure PROGRAM CASES ROUNDS WAY...: each way in turn, so that what changes on the machine meanwhile meets them all; and each
# of the cases, which blanks separate, where they are compared with one another.
# Where `preload` names a library, the program runs with it.
measure() {
    local program=$1 cases=$2 times=$3 round name way
    shift 3
    for ((round = 1; round <= times; round++)); do
        for name in $cases; do
            for way; do
                LD_PRELOAD=${preload:-} timeout 120 "$binaries/$program" "$name" "$way" >>"$results" ||
                    fail "$name could not be measured for $way"
            done
            printf '[%4d s] %s: round %d of %d\n' "$SECONDS" "$name" "$round" "$times"
        done
    done
}

# medians: of what `results` holds, one row a case and a way: CASE WHO VALUE UNIT LOWEST HIGHEST.
medians() {
    sort -s -k 1,2 -k 3,3g "$results" | awk '
        function flush(  middle) {
            if (!count) return
            middle = int((count + 1) / 2)
            print key, count % 2 ? value[middle] : (value[middle] + value[middle + 1]) / 2, unit, value[1], value[count]
        }
        $1 " " $2 != key { flush(); key = $1 " " $2; count = 0 }
        { value[++count] = $3; unit = $4 }
        END { flush() }'
}

# show_medians FILE: what `medians` gave, a case after another.
show_medians() {
    step "medians, and in brackets the lowest and the highest"
    awk '
        !($1 in lines) { names[++count] = $1 }
        { lines[$1] = lines[$1] sprintf("  %-16s %12.4g %-12s (%.4g .. %.4g)\n", $2, $3, $4, $5, $6) }
        END { for (i = 1; i <= count; i++) printf "%s\n%s", names[i], lines[names[i]] }' "$1"
}

# write_rows FILE: rows of CASE WHO VALUE UNIT to the file that --json names, if it names one.
write_rows() {
    [[ -n $json ]] || return 0
    awk '
        BEGIN { printf "{\"rows\":[" }
        { printf "%s\n  {\"case\":\"%s\",\"who\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}", (NR > 1 ? "," : ""), $1, $2, $3, $4 }
        END { print "\n]}" }' "$1" >"$json"
    echo "written to $json"
}

# Awk's part that is common to all tables of bounds; it reads `results`, and then what `medians` made of them: `figure`. What was
# measured must not exceed its bound or, with `least`, not fall below; `missed` counts what does not hold.
#
# What is compared with one another is measured in turn, and compared turn by turn: `share` is the median of the rounds' ratios. A
# machine that changes from one round to the next changes that less than the ratio of two medians.
bounds='
    FILENAME ~ /results$/ { value[$1, $2, ++rounds[$1, $2]] = $3; next }
    { figure[$1, $2] = $3 }
    function bound(what, measured, limit, text, least) {
        ok = least ? measured >= limit : measured <= limit
        missed += !ok
        printf "%-66s %10s   %-10s %s\n", what, sprintf("%.4g", measured), text, ok ? "PASS" : "MISS"
    }
    # What one takes in one case, as a share of what another, or the same, takes in another.
    function share(name, who, otherName, otherWho,   count, round, place, ratio, ratios) {
        count = rounds[name, who]
        if (!count || count != rounds[otherName, otherWho]) { print name ": not measured in turn"; missed++; return 0 }
        for (round = 1; round <= count; round++) {
            ratio = value[name, who, round] / value[otherName, otherWho, round]
            for (place = round; place > 1 && ratios[place - 1] > ratio; place--) ratios[place] = ratios[place - 1]
            ratios[place] = ratio
        }
        place = int((count + 1) / 2)
        return count % 2 ? ratios[place] : (ratios[place] + ratios[place + 1]) / 2
    }
    # What Jetsam takes, as a share of what another takes.
    function ratio(name, who) { return share(name, "jetsam", name, who) }'

# conclude: shows all that was measured, and whether the suite's bounds hold; with --check it fails where one does not.
conclude() {
    local passed=0
    medians >"$work/medians"
    show_medians "$work/medians"
    write_rows "$work/medians"
    step "against the bounds"
    check_bounds || passed=1
    [[ -n $check ]] || passed=0
    return "$passed"
}

# parallel_limit: how much more two threads do here that share nothing: what "two threads" can come to at most.
parallel_limit() {
    local attempt start middle process
    spin() { awk 'BEGIN { for (i = 0; i < 12000000; i++) x += i % 7 }'; }
    for attempt in 1 2 3; do
        start=$EPOCHREALTIME
        spin
        middle=$EPOCHREALTIME
        spin & process=$!
        spin
        wait "$process"
        awk "BEGIN { printf \"%.2f\n\", 2 * ($middle - $start) / ($EPOCHREALTIME - $middle) }"
    done | sort -g | tail -n 1
}

# Searches thresholds over half of the disturbances, and judges them on the other half.

usage="[--groups A,B] [--repeat N] [--worlds N] [--output FILE]"
builds=(jetsam-stress jetsam)
takes=([--groups]=words [--repeat]=count [--worlds]=count [--output]=path)
given=([--repeat]=1 [--worlds]=100)

# What is tried beside the defaults: a group, and its settings.
tried=(
    "reserve headroom.warningPercent=10 headroom.criticalPercent=5 headroom.exitPoints=3"
    "reserve headroom.warningPercent=15 headroom.criticalPercent=7 headroom.exitPoints=4"
    "reserve headroom.warningPercent=25 headroom.criticalPercent=12 headroom.exitPoints=6"
    "exit headroom.exitPoints=2"
    "exit headroom.exitPoints=8"
    "lead leadTime.safetyPercent=100"
    "lead leadTime.safetyPercent=400"
    "horizon timeToLimit.warning=5s timeToLimit.warningExit=10s"
    "horizon timeToLimit.warning=20s timeToLimit.warningExit=40s"
    "share reclaim.sharePercent=2"
    "share reclaim.sharePercent=15"
    "fall level.warningFallDelay=2s"
    "fall level.warningFallDelay=10s"
)
# The largest share of wasted bytes, in the mean of the disturbances: beyond it, a reserve is memory that lies idle.
most_wasted=0.03
# The disturbances of 'jetsam-stress survive', one here and one there in their order.
searched=(ramp-8MB ramp-500MB spike sawtooth leak-5s misses log redis resize servers-4)
judged=(growth ramp-50MB ramp-full waves leak-0s leak-30s thrash fragment memcached servers-2 servers-8)

describe() {
    local group
    group=$(printf '%s\n' "${tried[@]}" | cut -d ' ' -f 1 | uniq)
    cat <<END
Tries other thresholds than the defaults over half of the disturbances of 'tools/prove survival', and in made-up worlds of
'tools/simulate' with slow caches and spikes. The best of each group has the fewest processes killed; if these are
equal, the least taken from caches and the least time degraded. Wasted bytes and time at critical count tenfold. Settings that
waste more than 3 % of what they release, in the mean of the disturbances, are no better, however few are killed. Then the
defaults and the best ones are judged on the other half of the disturbances, and in other worlds. This is a measurement and
not a check. All groups take about an hour and a half. Do nothing else on the machine, or the figures are wrong.

  --groups A,B     only these: $(joined "$group")
  --repeat N       the number of runs under each disturbance (default ${given[--repeat]})
  --worlds N       the number of made-up worlds for the search, and as many others for the judgement (default ${given[--worlds]})
  --output FILE    writes the tables to FILE, with tabs between the columns
END
}

# configuration NAME WORD...: settings such as headroom.exitPoints=3 as a file, checked.
configuration() {
    local file=$work/$1.yaml word
    shift
    printf '{}\n' >"$file"
    (($# == 0)) || for word in "$@"; do printf '%s: %s\n' "${word%%=*}" "${word#*=}"; done |
        awk -F '[.:]' '{ if ($1 != part) print $1 ":"; part = $1; sub(/^[^.]*\./, "  "); print }' >"$file"
    "$jetsam" check "$file" >"$work/out" || { cat "$work/out" >&2; fail "these settings are no configuration: $*"; }
}

# total FILE KEY: a figure of the way jetsam over all disturbances, from the JSON of 'jetsam-stress survive'.
total() {
    sed -nE 's/.*"totals":\[\{([^}]*)\}.*/\1/p' "$1" | grep -oE "\"$2\":[-0-9.]+" | cut -d : -f 2
}

# measure NAME FIRST DISTURBANCE...: the worlds from that seed on and the disturbances under $work/NAME.yaml; one line of figures,
# separated by tabs, into $work/NAME.FIRST.
measure() {
    local name=$1 first=$2 table=$work/$1.$2.json worlds
    shift 2
    printf '  %s: %d made-up worlds, then the disturbances\n' "$name" "${given[--worlds]}" >&2
    "$simulation" --config "$work/$name.yaml" --first "$first" --seeds "${given[--worlds]}" >"$work/out" 2>"$work/err" &
    child=$!
    wait "$child" || { cat "$work/out" "$work/err" >&2; fail "the worlds could not be run"; }
    worlds=$(sed -nE 's/^processes killed: ([0-9]+),.*/\1/p' "$work/out")
    "$tool" survive --server "$server" --script tools/demo-server/Scripts/zipf.lua --config "$work/$name.yaml" --ways jetsam \
        --only "$(IFS=,; echo "$*")" --repeat "${given[--repeat]}" --json "$table" >"$work/out" &
    child=$!
    wait "$child" || fail "the runs could not be made"
    child=""
    {
        printf '%s' "$worlds"
        for key in killed runs releasedBytes neededBytes wastedBytes wastedShare warningSeconds criticalSeconds hitRate; do
            printf '\t%s' "$(total "$table" "$key")"
        done
        printf '\n'
    } >"$work/$name.$first"
}

# show TEXT FILE: a row of a table.
show() {
    awk -F '\t' -v text="$1" -v output="${given[--output]:-}" '{
        row = sprintf("%d\t%d/%d\t%.0f\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f", $1, $2, $3, $4 / 1048576, $5 / 1048576, $7 * 100, $8, $9, $10 * 100)
        if (output != "") printf "%s\t%s\n", text, row >>output
        split(row, cell, "\t")
        printf "%-48s %8s %8s %9s %8s %8s %10s %11s %7s\n", text, cell[1], cell[2], cell[3], cell[4], cell[5], cell[6], cell[7], cell[8]
    }' "$2"
}

head_of_table() {
    printf '%-48s %8s %8s %9s %8s %8s %10s %11s %7s\n' "$1" "worlds" "killed" "released" "needed" "wasted" "at warning" "at critical" "hits"
    printf '%-48s %8s %8s %9s %8s %8s %10s %11s %7s\n' "" "killed" "" "MiB" "MiB" "%" "s" "s" "%"
}

# better FILE FILE DEFAULTS: whether the first is better than the second, both weighed by the defaults' figures.
better() {
    awk -F '\t' -v most="$most_wasted" '
        function larger(a, b) { return a > b ? a : b }
        { n++; killed[n] = $1 + $2; bytes[n] = $4 + 9 * $6; wasted[n] = $7; time[n] = $8 + 10 * $9 }
        function cost(i) { return bytes[i] / larger(bytes[3], 1048576) + time[i] / larger(time[3], 1) }
        END { exit !(wasted[1] <= most && (killed[1] < killed[2] || killed[1] == killed[2] && cost(1) < cost(2))) }' "$1" "$2" "$3"
}

prove() {
    local words group name number wanted=",${given[--groups]:-}," judgement=$((given[--worlds] + 1))
    # The best of each group that is better than the defaults, and the order of the groups.
    local -A best=()
    local groups=()
    for group in ${wanted//,/ }; do
        printf '%s\n' "${tried[@]%% *}" | grep -qxF "$group" || wrong_usage "there is no group '$group'; see --help"
    done
    need_packages wrk redis-server memcached util-linux
    step "building the demo server and the simulation"
    plan_anew tools/demo-server
    swift build --package-path tools/demo-server -c release --product demo-server
    JETSAM_SIMULATION=1 swift build --package-path tools/demo-server -c release --product jetsam-simulation
    server=$(swift build --package-path tools/demo-server -c release --show-bin-path)
    simulation=$server/jetsam-simulation server=$server/demo-server
    [[ -z ${given[--output]:-} ]] || : >"${given[--output]}"

    step "the search: ${searched[*]}"
    configuration defaults
    head_of_table "searched"
    measure defaults 1 "${searched[@]}"
    show "the defaults" "$work/defaults.1"
    for number in "${!tried[@]}"; do
        read -r group words <<<"${tried[number]}"
        [[ $wanted == ",," || $wanted == *",$group,"* ]] || continue
        name=$group-$number
        # shellcheck disable=SC2086  # Settings are words.
        configuration "$name" $words
        measure "$name" 1 "${searched[@]}"
        show "$words" "$work/$name.1"
        if better "$work/$name.1" "$work/${best[$group]:-defaults}.1" "$work/defaults.1"; then
            [[ -n ${best[$group]:-} ]] || groups+=("$group")
            best[$group]=$name
        fi
    done

    step "the judgement: ${judged[*]}"
    head_of_table "judged"
    measure defaults "$judgement" "${judged[@]}"
    show "the defaults" "$work/defaults.$judgement"
    for group in "${groups[@]}"; do
        name=${best[$group]}
        measure "$name" "$judgement" "${judged[@]}"
        show "${tried[${name##*-}]#* }" "$work/$name.$judgement"
    done
    ((${#groups[@]})) || printf 'nothing was better than the defaults\n'
}

# A heap cache that promises what does not come back: known before it is needed, and nobody is killed for it.

usage="[--repeat N]"
builds=(jetsam-stress)
takes=([--repeat]=count)
given=([--repeat]=3)

describe() {
    cat <<END
A heap cache has blocks that stay between its values, one after every four values. So the memory of values that leave
the cache does not come back. The process grows until its last resort is called. It must not be killed. The log must say
that the cache's memory does not come back, at least ten seconds before the last resort. A probe for that gives up at
most 1 MiB, and a dry run makes no probe. The control has no manager and is killed. Three runs and the control take a
minute and a half.

  --repeat N    the number of runs beside the one control (default ${given[--repeat]})
END
}

hollow_limit=512MiB
# The manager looks every ten seconds, goes by two looks, and takes longer after one that told nothing: the first, which comes while the
# process starts, and any at which other memory happened to move. Time for that is before the growth and in it.
hollow_load=(hollow-load --cache 160MiB --quiet 34s --rate 7MiB)
# So many at once, each of which has a limit of its own.
hollow_most=5

# begin_hollow NAME ARGUMENT...: starts a run in a group of its own; what it says goes to $work/NAME.
begin_hollow() {
    local name=$1
    shift
    "$tool" run --limit "$hollow_limit" --report "$work/$name.report" -- "$tool" "${hollow_load[@]}" "$@" \
        >"$work/$name" 2>"$work/$name.err" &
    children+=("$!")
    hollow_names+=("$name")
}

# end_hollow: waits for all that were started; the exit status of each is in $work/NAME.status.
end_hollow() {
    local index status
    for index in "${!children[@]}"; do
        status=0
        wait "${children[index]}" || status=$?
        echo "$status" >"$work/${hollow_names[index]}.status"
    done
    children=() hollow_names=()
}

# hollow_number NAME KEY: a number of what a run said at its end; nothing where it said none.
hollow_number() {
    sed -nE "s/^\{\"cacheBytes\".*\"$2\":([0-9.]+).*/\1/p" "$work/$1" | head -n 1
}

# hollow_fault NAME: what is wrong with a run that had a last resort; nothing where all is right.
hollow_fault() {
    local status probes largest warned last
    status=$(cat "$work/$1.status")
    case $status in
        0) ;;
        3) echo "killed"; return ;;
        *) echo "ended with status $status"; return ;;
    esac
    probes=$(hollow_number "$1" probes) largest=$(hollow_number "$1" largestProbeBytes)
    warned=$(hollow_number "$1" warnedSeconds) last=$(hollow_number "$1" lastResortSeconds)
    if ((${probes:-0} == 0)); then echo "the cache was not probed"
    elif ((largest > 1 << 20)); then echo "a probe gave $largest bytes"
    elif [[ -z $warned ]]; then echo "nothing was said of the cache"
    elif [[ -z $last ]]; then echo "the last resort was not called"
    elif awk -v warned="$warned" -v last="$last" 'BEGIN { exit !(last - warned < 10) }'; then
        echo "said $warned s after the start, and the last resort called after $last s"
    fi
}

prove() {
    local runs=${given[--repeat]} i name fault failed=0
    hollow_names=()
    step "$runs runs, a control and a dry run, each under $hollow_limit, up to $hollow_most at once"
    begin_hollow control --growth 1GiB --unmanaged
    begin_hollow dry --growth 4096 --dry-run
    for ((i = 1; i <= runs; i++)); do
        ((${#children[@]} < hollow_most)) || end_hollow
        begin_hollow "managed$i" --growth 1GiB
    done
    end_hollow

    for ((i = 1; i <= runs; i++)); do
        name=managed$i
        fault=$(hollow_fault "$name")
        if [[ -n $fault ]]; then
            failed=1
            printf 'run %d: NOT SO: %s\n' "$i" "$fault"
            sed 's/^/    /' "$work/$name.err" "$work/$name"
        else
            printf 'run %d: lived; %d probes of at most %d bytes; said after %s s, last resort after %s s, %d MiB later\n' "$i" \
                "$(hollow_number "$name" probes)" "$(hollow_number "$name" largestProbeBytes)" \
                "$(hollow_number "$name" warnedSeconds)" "$(hollow_number "$name" lastResortSeconds)" \
                "$(($(hollow_number "$name" grownBytes) >> 20))"
        fi
    done
    sed -nE 's/.*"warning":"([^"]*)".*/    \1/p' "$work/managed1"
    if (($(cat "$work/control.status") == 3)); then
        echo "control, which nobody watches: killed"
    else
        failed=1
        printf 'control, which nobody watches: NOT SO: status %s\n' "$(cat "$work/control.status")"
        sed 's/^/    /' "$work/control.err" "$work/control"
    fi
    if (($(cat "$work/dry.status") == 0)) && [[ $(hollow_number dry probes) == 0 ]]; then
        echo "dry run: no probe"
    else
        failed=1
        printf 'dry run: NOT SO: status %s, probes: %s\n' "$(cat "$work/dry.status")" "$(hollow_number dry probes)"
        sed 's/^/    /' "$work/dry.err" "$work/dry"
    fi
    return "$failed"
}

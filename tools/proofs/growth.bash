# A process that grows beside its full cache.

usage="[--full-rate] [--repeat N] [--json FILE]"
builds=(jetsam-stress)
takes=([--full-rate]=nothing [--repeat]=count [--json]=path)
given=([--repeat]=20)

describe() {
    cat <<END
A process under 512MiB fills a cache with 128MiB. Then it grows beside the cache, on one thread at 500MB/s: by the headroom at
that moment and 102.4MiB more (0.8 of the cache). It holds this memory for 5 s. The control does the same without Jetsam. A
run counts only if its control is killed.

  --full-rate   The cache has 256MiB, the process grows by 204.8MiB beyond the headroom, and as fast as the machine faults
                memory in. That rate is measured too
  --repeat N    the number of runs with their controls (default ${given[--repeat]})
  --json FILE   writes {"proof", "limit", "purgeable", "growth", "rate", "hold", "faultRate": MiB/s or null, "runs":
                [{"control", "managed": the reports of 'jetsam-stress run', "allocate": that of the managed process, or
                null}], "lived", "controlsKilled", "counted"} to FILE
END
}

# try_once NAME [OPTION...]: sets `status` to the exit status of the run; its report is in $work/NAME.
try_once() {
    local name=$1
    shift
    rm -f "$work/$name" "$work/$name.out"
    status=0
    "$tool" run --limit "$limit" --report "$work/$name" -- "$tool" --pattern ramp --purgeable "$purgeable" \
        --limit "headroom+$extra" --rate "$rate" --hold "$hold" --json --progress "$@" >"$work/$name.out" 2>"$work/$name.err" &
    child=$!
    wait "$child" || status=$?
    child=""
    case $status in
        0 | 3) ;;
        *)
            cat "$work/$name.err" "$work/$name.out" >&2
            printf 'error: the %s run could not be made (status %d)\n' "$name" "$status" >&2
            exit 2 ;;
    esac
}

# mebibytes NAME KEY: the first number after a key in a run's output, in MiB; 0 where there is none.
mebibytes() {
    local bytes
    bytes=$(sed -nE "s/.*\"$2\":([0-9]+).*/\1/p" "$work/$1" | head -n 1)
    echo $((${bytes:-0} >> 20))
}

# measure_fault_rate: prints how fast one thread faults in memory here, with no limit near, in MiB/s; the median of five.
measure_fault_rate() {
    local seconds
    for _ in 1 2 3 4 5; do
        seconds=$("$tool" --pattern ramp --limit 512MiB --rate max --hold 0 --json | sed -nE 's/.*"seconds":([0-9.]+).*/\1/p')
        awk -v s="$seconds" 'BEGIN { printf "%d\n", 512 / s }'
    done | sort -n | sed -n 3p
}

prove() {
    local limit=512MiB purgeable=128MiB extra=102.4MiB rate=500MB/s hold=5s fault_rate=null
    local repeat=${given[--repeat]} json=${given[--json]:-} i lived=0 killed=0 counted=0 runs=()
    local control_status control_word managed_status managed_word allocate
    if [[ -n ${given[--full-rate]:-} ]]; then purgeable=256MiB extra=204.8MiB rate=max; fi
    if [[ $rate == max ]]; then
        fault_rate=$(measure_fault_rate)
        step "the machine faults in $fault_rate MiB/s"
    fi
    step "$repeat runs, each with its control"
    for ((i = 1; i <= repeat; i++)); do
        try_once control
        control_status=$status
        try_once managed --managed
        managed_status=$status
        ((control_status != 3)) || killed=$((killed + 1))
        if ((control_status == 3)); then
            counted=$((counted + 1))
            ((managed_status != 0)) || lived=$((lived + 1))
        fi
        control_word=lived managed_word=killed allocate=null
        ((control_status != 3)) || control_word=killed
        if ((managed_status == 0)); then
            managed_word=lived
            allocate=$(grep '^{' "$work/managed.out" | head -n 1)
        fi
        printf '[%4d s] %d of %d: control %s, with Jetsam %s, peak %d MiB, %d MiB given back\n' "$SECONDS" "$i" "$repeat" \
            "$control_word" "$managed_word" "$(mebibytes managed peakBytes)" "$(mebibytes managed.out releasedBytes)"
        # What a killed process had said is all that is left of it.
        ((managed_status == 0)) || sed 's/^/    /' "$work/managed.err"
        runs+=("{\"control\":$(cat "$work/control"),\"managed\":$(cat "$work/managed"),\"allocate\":$allocate}")
    done

    if [[ -n $json ]]; then
        {
            printf '{"proof":"%s","limit":"%s","purgeable":"%s","growth":"headroom+%s","rate":"%s","hold":"%s",' \
                growth "$limit" "$purgeable" "$extra" "$rate" "$hold"
            printf '"faultRate":%s,"runs":[' "$fault_rate"
            (IFS=,; printf '%s' "${runs[*]}")
            printf '],"lived":%d,"controlsKilled":%d,"counted":%d}\n' "$lived" "$killed" "$counted"
        } >"$json"
    fi
    printf '\n%d of %d lived; controls killed %d of %d\n' "$lived" "$counted" "$killed" "$repeat"
    ((lived == repeat && killed == repeat))
}

# What came of the runs: the table, and the same as JSON. Sourced by tools/demo.
# Each of `results` is: mode outcome hitRate requestsPerCPUSecond peakBytes reclaimedBytes levelChanges

write_json() {  # FILE
    local entry separator=""
    {
        printf '{"limitBytes": %d, "runs": [' "$limit"
        for entry in "${results[@]}"; do
            # shellcheck disable=SC2086
            set -- $entry
            printf '%s\n  {"mode": "%s", "outcome": "%s", "hitRate": %s, "requestsPerCPUSecond": %s, ' \
                "$separator" "$1" "$2" "$3" "$4"
            printf '"peakBytes": %d, "reclaimedBytes": %d, "levelChanges": %d}' "$5" "$6" "$7"
            separator=,
        done
        printf '\n]}\n'
    } >"$1" || fail "$1 could not be written"
}

print_table() {
    say ""
    printf '%-10s  %-22s  %8s  %20s  %10s  %15s  %13s\n' \
        mode outcome "hit rate" "requests/CPU-second" peak "bytes reclaimed" "level changes"
    local mode
    for mode in "${modes[@]}"; do
        printf '%s\n' "${results[@]}" | awk -v mode="$mode" -v limit="$limit" '
            function median(values, count,    i, j, swap) {
                for (i = 2; i <= count; i++)
                    for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
                        swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap
                    }
                return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
            }
            $1 == mode {
                runs++
                outcomes[$2]++
                if ($3 != "null") { measured++; hits[measured] = $3; efficiency[measured] = $4 }
                if ($5 > peak) peak = $5
                reclaimed[runs] = $6; changes[runs] = $7
            }
            END {
                if (!runs) exit
                if (runs == 1) { for (each in outcomes) outcome = each }
                else for (each in outcomes) outcome = outcome (outcome ? ", " : "") outcomes[each] " of " runs " " each
                printf "%-10s  %-22s  %8s  %20s  %6d MiB  %11d MiB  %13s\n", mode, outcome,
                    measured ? sprintf("%.1f %%", 100 * median(hits, measured)) : "-",
                    measured ? sprintf("%.0f", median(efficiency, measured)) : "-",
                    peak / 1048576, median(reclaimed, runs) / 1048576, median(changes, runs)
            }'
    done
    ((repeat == 1)) || say "(several runs: the peak is the largest, the other figures are medians)"
    say "The limit is $(mib "$limit") MiB; rates are those of the second half of each run."
}

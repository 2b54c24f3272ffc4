# What the flight recorder costs: two servers at the same time under the same load, one of them with it. Whatever else the machine
# does then falls on both, which no two runs one after the other can promise. Sourced by tools/demo.

pair_pids=()

# pair_start NAME: starts a server of mode jetsam and the load on it; its address goes to $work/NAME.url.
pair_start() {
    local name=$1 attempt
    {
        echo "headroom.warningPercent: 20"
        [[ $name != recorded ]] || echo "recorder.directory: $work/recordings"
    } >"$work/$name.yaml"
    "$server" --host 127.0.0.1 --port 0 --mode jetsam --keys "$keys" --value-size "$value_size" --footprint-budget "$limit" \
        --events "$work/$name.events" --config "$work/$name.yaml" >"$work/$name.listening" 2>"$work/$name.log" &
    pair_pids+=("$!")
    echo "$!" >"$work/$name.pid"
    for attempt in {1..200}; do
        sed -n 's/^listening on //p' "$work/$name.listening" >"$work/$name.url"
        [[ ! -s $work/$name.url ]] || break
        sleep 0.05
    done
    [[ -s $work/$name.url ]] || fail "the server did not start" "$work/$name.log"
}

pair_load() {  # NAME
    wrk -t 1 -c 24 -d "$((seconds + 60))s" --timeout 10s -s "$package/Scripts/zipf.lua" "$(<"$work/$1.url")" \
        -- "$keys" "$exponent" 1 >"$work/$1.load" 2>&1 &
    pair_pids+=("$!")
}

# pair_figures NAME: what it has answered, its CPU seconds, and those of Jetsam's own threads among them.
pair_figures() {
    local own=0 thread
    for thread in "/proc/$(<"$work/$1.pid")/task/"*; do
        [[ $(<"$thread/comm") != jetsam.* ]] || own=$((own + $(cut -d ' ' -f 1 "$thread/schedstat")))
    done
    curl -sf --max-time 10 "$(<"$work/$1.url")/metrics" | awk -v own="$own" '
        /^demo_(hits|misses)_total / { answered += $2 }
        /^demo_cpu_seconds_total / { cpu = $2 }
        END { if (cpu == "") exit 1; printf "%.0f %.6f %.6f\n", answered, cpu, own / 1e9 }' || fail "the server does not answer" "$work/$1.log"
}

compare_recorder() {
    local round name order shares=() share
    declare -A before after
    say "$repeat times $seconds s, two servers at the same time; requests a CPU-second (and the CPU of Jetsam's own threads):"
    for ((round = 1; round <= repeat; round++)); do
        order=(plain recorded)
        ((round % 2)) || order=(recorded plain)
        rm -rf "$work/recordings"
        for name in "${order[@]}"; do pair_start "$name"; done
        for name in "${order[@]}"; do pair_load "$name"; done
        sleep 6
        for name in "${order[@]}"; do before[$name]=$(pair_figures "$name") || exit 1; done
        sleep "$seconds"
        for name in "${order[@]}"; do after[$name]=$(pair_figures "$name") || exit 1; done
        [[ -n $(find "$work/recordings" -type f -size +0 2>/dev/null) ]] || fail "nothing was recorded" "$work/recorded.log"
        kill -TERM "${pair_pids[@]}" 2>/dev/null
        wait "${pair_pids[@]}" 2>/dev/null
        pair_pids=()
        share=$(awk -v plain="${before[plain]} ${after[plain]}" -v recorded="${before[recorded]} ${after[recorded]}" '
            function rate(figures,    f) { split(figures, f, " "); return (f[4] - f[1]) / (f[5] - f[2]) }
            function own(figures,    f) { split(figures, f, " "); return 100 * (f[6] - f[3]) / (f[5] - f[2]) }
            BEGIN {
                printf "%.0f %.2f %.0f %.2f %.4f", rate(plain), own(plain), rate(recorded), own(recorded), rate(recorded) / rate(plain)
            }')
        # shellcheck disable=SC2086
        say "$(printf '  without %6d (%.2f %%)   with the recorder %6d (%.2f %%)   %.3f' $share)"
        shares+=("${share##* }")
    done
    printf '%s\n' "${shares[@]}" | sort -n | awk '
        { share[NR] = $1; sum += $1 }
        END {
            median = NR % 2 ? share[(NR + 1) / 2] : (share[NR / 2] + share[NR / 2 + 1]) / 2
            printf "With the recorder: %.1f %% of the requests a CPU-second (median; mean %.1f %%, %.1f to %.1f %%)\n", \
                100 * median, 100 * sum / NR, 100 * share[1], 100 * share[NR]
        }'
}

# What the sampler's thread costs while nothing happens, from the kernel's own accounting of that thread.

usage=""
builds=(jetsam-stress)
takes=()

describe() {
    cat <<END
Measures the cost of the sampler's thread under three limits while nothing happens, by the kernel's accounting. Run it on
a quiet machine: other programs make each wake-up more expensive.
END
}

# sampler_of PID...: the directory of the thread named jetsam.sampler among these processes, or nothing.
sampler_of() {
    local process name
    for process; do
        for name in "/proc/$process"/task/*/comm; do
            [[ $(cat "$name" 2>/dev/null) != jetsam.sampler ]] || dirname "$name"
        done
    done
}

# children_of PID: it and all that it started.
children_of() {
    local process
    echo "$1"
    for process in $(cat "/proc/$1/task"/*/children 2>/dev/null); do children_of "$process"; done
}

# idle_case NAME LIMIT HELD MOST_WAKE_UPS MOST_PERCENT: prints a row; fails where it is over.
idle_case() {
    local thread="" seconds=10 before after
    "$tool" run --limit "$2" -- "$tool" --pattern ramp --rate 2GB/s --limit "$3" --purgeable 1MiB --hold 60s \
        --managed >"$work/idle.out" 2>&1 &
    child=$!
    sleep 4
    thread=$(sampler_of $(children_of "$child") | head -n 1)
    [[ -n $thread ]] || { cat "$work/idle.out" >&2; fail "the sampler's thread was not found"; }
    before=$(cut -d ' ' -f 1 "$thread/schedstat") wakes=$(awk '/^voluntary/ { print $2 }' "$thread/status")
    sleep "$seconds"
    after=$(cut -d ' ' -f 1 "$thread/schedstat") wakes=$(($(awk '/^voluntary/ { print $2 }' "$thread/status") - wakes))
    kill -TERM "$child" && wait "$child" || true
    child=""
    awk -v name="$1" -v cpu="$((after - before))" -v wakes="$wakes" -v seconds="$seconds" -v most="$4" -v share="$5" '
        BEGIN {
            percent = cpu / seconds / 1e7; rate = wakes / seconds
            # One wake-up more or less falls into the window by chance.
            over = percent > share || wakes > most * seconds + 1
            printf "%-34s %6.1f wake-ups a second %8.4f %% of a core (at most %s) %6.0f us each%s\n", \
                name, rate, percent, share, wakes ? cpu / wakes / 1000 : 0, over ? "   TOO MUCH" : ""
            exit over
        }'
}

prove() {
    local failed=0
    step "the sampler at rest, 14 s a case"
    idle_case "16 GiB, limit more than 2 s away" 16GiB 10MiB 1 0.01 || failed=1
    idle_case "512 MiB, kernel threshold armed" 512MiB 10MiB 1 0.01 || failed=1
    idle_case "512 MiB, half of it used" 512MiB 254MiB 1000 0.15 || failed=1
    return "$failed"
}

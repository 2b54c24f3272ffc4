# What a manager costs a server that has nothing to do: the same program with one and without, by the kernel's own figures.

usage=""
builds=()
takes=()

describe() {
    cat <<END
Measures what a manager costs an idle server, beside the same program without one: threads, descriptors, resident bytes,
wake-ups, processor time and bytes of the program. It shows the figures and checks no bound. Half a minute, without the
build.
END
}

# sum_of FIELD PID: the sum of a field of the status of all threads.
sum_of() { cat "/proc/$2"/task/*/status 2>/dev/null | awk -v field="$1:" '$1 == field { sum += $2 } END { print sum + 0 }'; }

# nanoseconds_of PID: the processor time of all threads.
nanoseconds_of() { cat "/proc/$1"/task/*/schedstat 2>/dev/null | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }

# measure_cost PROGRAM: NAME VALUE, a line each, of one that is at rest.
measure_cost() {
    local program=$1 seconds=10 wakes time waited=0
    strip -o "$work/stripped" "$program"
    echo "binary-bytes $(stat -c %s "$work/stripped")"
    "$program" >"$work/said" 2>&1 &
    child=$!
    until grep -q ready "$work/said"; do
        sleep 0.1
        ((++waited < 100)) || { cat "$work/said" >&2; fail "$program does not say that it is ready"; }
    done
    sleep 8
    wakes=$(sum_of voluntary_ctxt_switches "$child") time=$(nanoseconds_of "$child")
    sleep "$seconds"
    echo "wake-ups $(awk -v n=$(($(sum_of voluntary_ctxt_switches "$child") - wakes)) -v s="$seconds" 'BEGIN { print n / s }')"
    echo "processor-percent $(awk -v n=$(($(nanoseconds_of "$child") - time)) -v s="$seconds" 'BEGIN { print n / s / 1e7 }')"
    echo "threads $(find "/proc/$child/task" -mindepth 1 -maxdepth 1 | wc -l)"
    echo "descriptors $(find "/proc/$child/fd" -mindepth 1 | wc -l)"
    echo "own-resident-bytes $(awk '/^Private/ { sum += $2 } END { print sum * 1024 }' "/proc/$child/smaps_rollup")"
    echo "resident-bytes $(awk '/^Rss/ { print $2 * 1024 }' "/proc/$child/smaps_rollup")"
    kill -TERM "$child"
    wait "$child" || true
    child=""
}

end() { rm -f Tests/Linking/Package.resolved; }

prove() {
    local binaries=.build-linking/release name
    rm -f Tests/Linking/Package.resolved
    step "building in release, with Swift's libraries shared"
    for name in With Without; do
        swift build -c release --package-path Tests/Linking --scratch-path .build-linking --product "$name" >"$work/log" 2>&1 || {
            tail -n 20 "$work/log" >&2
            fail "$name does not build"
        }
    done
    rm -f Tests/Linking/Package.resolved
    step "measuring, half a minute"
    for name in Without With; do measure_cost "$binaries/$name" >"$work/$name"; done
    join "$work/Without" "$work/With" --nocheck-order | awk '
        BEGIN { printf "%-22s %14s %14s %14s\n", "at rest", "without", "with", "more" }
        { printf "%-22s %14s %14s %14s\n", $1, $2, $3, $3 - $2 }'
}

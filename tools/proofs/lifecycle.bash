# Sends a real server real signals and checks what it makes of them.

usage="[--repeat N]"
builds=()
takes=([--repeat]=count)
given=([--repeat]=20)

describe() {
    cat <<END
Sends SIGTERM, SIGSTOP and SIGCONT to a server that holds thousands of background tasks, and checks that it

- is ready only when it listens, and first stops being ready at SIGTERM;
- finishes open requests, and calls every expiration handler exactly once and none early;
- ends when the last task ends, and always before the grace period does;
- enters the background and saves although a request does not end;
- stores 10,000 scenes within the grace period, and can save at critical.

It takes about three minutes, without the build of tools/demo-server.

  --repeat N    how often a server that does not stop gets SIGTERM (default ${given[--repeat]})
END
}

package=tools/demo-server
server_process="" request_process="" failures=0

# Of a log as well, where there is one.
fail() {  # MESSAGE [LOG]
    printf 'error: %s\n' "$1" >&2
    [[ -z ${2:-} || ! -s ${2:-} ]] || tail -n 20 "$2" | sed 's/^/    /' >&2
    exit 1
}
say() { printf '%s\n' "$*"; }

# KILL, because the server may be stopped, and because nothing may be left whatever it makes of TERM.
end() {
    local process
    for process in $server_process $request_process; do
        kill -KILL "$process" 2>/dev/null && wait "$process" 2>/dev/null || true
    done
    server_process="" request_process=""
}

is_true() { awk "BEGIN { exit !($1) }"; }
calculate() { awk "BEGIN { printf \"%.3f\", $1 }"; }

# check TEXT EXPRESSION: a row; what awk makes of the expression has to be true.
check() {
    local verdict=PASS
    is_true "$2" || verdict=MISS failures=$((failures + 1))
    printf '  %-98s %s\n' "$1" "$verdict"
}

# event NAME KEY: a number from the first line of that name in the timeline; -1 where there is none.
event() {
    local number
    number=$(sed -nE "/\"event\":\"$1\"/ { s/.*\"$2\":([0-9.]+).*/\1/p; q }" "$work/events")
    echo "${number:--1}"
}

# status_of PATH: the status that the server answers with, 000 where it does not.
status_of() { curl -s --max-time 5 -o "$work/answer" -w '%{http_code}' "$url$1" || true; }

# metric NAME: a figure of the server's.
metric() { curl -s --max-time 5 "$url/metrics" | awk -v name="$1" '$1 == name { print $2 }'; }

# await SECONDS TEXT COMMAND...: until the command succeeds.
await() {
    local last what=$2
    last=$(calculate "$EPOCHREALTIME + $1")
    shift 2
    until "$@"; do
        is_true "$EPOCHREALTIME < $last" || fail "$what did not come in time" "$work/server.log"
        sleep 0.01
    done
}

is_listening() { url=$(sed -n 's/^listening on //p' "$work/server.out") && [[ -n $url ]]; }
is_ready() { [[ $(status_of /readyz) == 200 ]]; }
is_unready() { [[ $(status_of /readyz) != 200 ]]; }
has_expired() { [[ $(event expired seconds) != -1 ]]; }
has_resumed() { [[ $(event resumed gapSeconds) != -1 ]]; }
is_gone() { ! kill -0 "$server_process" 2>/dev/null; }

start_server() {  # OPTION...
    : >"$work/server.out"
    "$server" --mode jetsam --host 127.0.0.1 --port 0 --keys 1000 --events "$work/events" "$@" \
        >"$work/server.out" 2>"$work/server.log" &
    server_process=$!
    await 10 "the line that the server listens" is_listening
    await 10 "readiness" is_ready
}

terminate() {
    terminated=$EPOCHREALTIME
    kill -TERM "$server_process"
}

# Waits for the server's end: sets `took`, the seconds since the signal, and `status`.
await_end() {
    await 30 "the end of the server" is_gone
    took=$(calculate "$EPOCHREALTIME - $terminated")
    status=0
    wait "$server_process" || status=$?
    server_process=""
    sed -n 's/^handlers:/  heard:/p' "$work/server.out"
}

# check_handlers ENDING FOREVER: those that ended in time heard nothing, the others once.
check_handlers() {
    (($1 == 0)) || check "of $1 that ended none was told that it expires" "\"$(event handlers endingCalled)\" == \"0\""
    (($2 == 0)) || check "of $2 that never end each was told exactly once" \
        "\"$(event handlers foreverCalledOnce)\" == \"$2\" && \"$(event handlers calledTwice)\" == \"0\""
}

prove_ending() {
    local ready value prefetch answered last
    say "SIGTERM with 10,000 background tasks held, which end over 2.5 s, and a request of 2 s in flight"
    start_server --hold 10000 --hold-for 2.5 --drain-delay 1.5 --termination-grace-period 20
    check "10,000 are held" "\"$(metric demo_background_tasks_held)\" == \"10000\""
    curl -s --max-time 15 -o "$work/request" -w '%{http_code}' "$url/wait/2000" >"$work/request.status" &
    request_process=$!
    await 5 "the request" request_is_under_way
    terminate
    await 5 "the end of readiness" is_unready
    # The time of the drain delay is over soon.
    ready=$(status_of /readyz) value=$(status_of /value/1) prefetch=$(status_of /prefetch/1)
    check "it is not ready any more, while it still answers ($ready, $value)" "$ready == 503 && $value == 200"
    check "what is of low priority is refused meanwhile ($prefetch)" "$prefetch == 503"
    await_end
    answered=0
    wait "$request_process" || answered=$?
    request_process=""
    check "the request in flight was finished" \
        "$answered == 0 && \"$(<"$work/request.status") $(<"$work/request")\" == \"200 done\""
    last=$(calculate "$(event stop seconds) - $(event released seconds)")
    check "it left $last s after the last had ended ($took s after the signal, of 20), with status $status" \
        "$last >= 0 && $last < 0.5 && $took >= 2.5 && $took < 10 && $status == 0"
    check_handlers 10000 0
}
request_is_under_way() { (($(metric demo_background_tasks_held) > 10000)); }

prove_overdue() {
    say "SIGTERM with 10,000 that end over 1 s and 1,000 that never end, and a grace period of 5 s"
    start_server --hold 10000 --hold-for 1 --hold-forever 1000 --termination-grace-period 5
    terminate
    await_end
    check "it left $took s after the signal, before the grace period was over, with status $status" \
        "$took < 5 && $status == 0"
    check "those that never end were waited for until they were told" "$(event expired seconds) < $(event stop seconds)"
    check_handlers 10000 1000
}

prove_pause() {
    local early stopped pause gap told
    say "SIGSTOP for 4 s and SIGCONT with 1,000 that never end and expire after 4 s"
    start_server --hold-forever 1000 --hold-expiry 4 --termination-grace-period 8
    sleep 1
    stopped=$EPOCHREALTIME
    kill -STOP "$server_process"
    sleep 4
    pause=$(calculate "$EPOCHREALTIME - $stopped")
    kill -CONT "$server_process"
    await 5 "the news of the pause" has_resumed
    early=$(metric demo_background_tasks_expired_total)
    gap=$(event resumed gapSeconds)
    # It is counted from the sampler's last turn, which is at most two seconds before.
    check "resumed(after:) was told, $gap s of $pause" "$gap >= $pause - 0.1 && $gap < $pause + 2.5"
    check "nothing had expired then, though 4 s were over" "\"$early\" == \"0\""
    check "it is ready as before" "\"$(status_of /readyz)\" == \"200\""
    await 10 "the expiry" has_expired
    told=$(calculate "$(event expired seconds) - $(event holding seconds)")
    # They are told a tenth before they expire. The timeline leaves out what is less than a millisecond.
    check "the first was told $told s after it began: later by the pause, and not early" \
        "$gap > 0 && $told >= 3.5985 + $pause && $told < 5.6 + $gap"
    terminate
    await_end
    check "it left $took s after the signal, with status $status" "$took < 8 && $status == 0"
    check_handlers 0 1000
}

prove_fixed_end() {
    say "SIGTERM with 1,000 that never end and a grace period of 6 s, and then SIGSTOP for 3 s of these"
    start_server --hold-forever 1000 --termination-grace-period 6
    terminate
    sleep 0.5
    kill -STOP "$server_process"
    sleep 3
    kill -CONT "$server_process"
    await_end
    check "it left $took s after the signal: the grace period does not move" "$took < 6 && $status == 0"
    check_handlers 0 1000
}

prove_late_listener() {
    local run seconds refused=0
    say "A server that listens 1 s after it was started, three times"
    for run in 1 2 3; do
        start_server --listen-delay 1
        seconds=$(calculate "$(event active seconds) - $(event ready seconds)")
        check "run $run: ready $seconds s after it listened, which was $(event ready seconds) s after the start" \
            "$seconds >= 0 && $seconds < 1 && $(event ready seconds) >= 1 && $(event launched seconds) < 1"
        [[ $(status_of /value/1) == 200 ]] || refused=$((refused + 1))
        terminate
        await_end
    done
    check "no connection was refused by a server that was ready" "$refused == 0"
}

prove_stuck_server() {
    local run good=0 told
    say "SIGTERM with a request that does not end, and a grace period of 3 s, $runs times"
    for ((run = 1; run <= runs; run++)); do
        start_server --termination-grace-period 3
        curl -s --max-time 15 -o "$work/request" "$url/poll/60000" &
        request_process=$!
        await 5 "the request" poll_is_under_way
        terminate
        await_end
        kill "$request_process" 2>/dev/null || true
        wait "$request_process" 2>/dev/null || true
        request_process=""
        told=$(calculate "$(event background seconds) - $(event resigning seconds)")
        if [[ $(count_events background) == 1 && $(count_events saved) == 1 && $(count_events terminating) == 1 ]] &&
            is_true "$took < 3 && $told < 1.5"; then
            good=$((good + 1))
        else
            say "  run $run: $took s, background after $told s, status $status"
        fi
    done
    check "it entered the background, saved and was told of its end, once each, before the grace period: $good of $runs" \
        "$good == $runs"
}
count_events() { grep -c "\"event\":\"$1\"" "$work/events" || true; }
poll_is_under_way() { [[ $(ss -Htn state established "sport = :${url##*:}" 2>/dev/null | wc -l) -gt 0 ]]; }
scenes_are_connected() { [[ $(event scenes-connected count) == 10000 ]]; }

# Sets `plain`: how long the disk takes for 10,000 files of 1 KiB that are written, flushed and given their names as a group.
measure_disk() {
    local directory=$work/plain began file
    mkdir "$directory" "$directory/written"
    sync -f "$directory"
    began=$EPOCHREALTIME
    for ((file = 0; file < 10000; file++)); do printf '%1024s' "" >"$directory/$file"; done
    sync -f "$directory"
    find "$directory" -maxdepth 1 -type f -exec mv -t "$directory/written" {} +
    sync -f "$directory"
    plain=$(calculate "$EPOCHREALTIME - $began")
    rm -rf "$directory"
}

prove_scenes() {
    local options call stored saving plain
    measure_disk
    say "The disk takes $plain s for 10,000 files of 1 KiB"
    for options in "" "--hold 20 --hold-for 3"; do
        say "SIGTERM with 10,000 scenes of 1 KiB${options:+, and 20 tasks that end within 3 s}"
        rm -rf "$work/states"
        # shellcheck disable=SC2086 # several words
        start_server --scenes 10000 --states "$work/states" $options
        await 120 "10,000 scenes" scenes_are_connected
        terminate
        await_end
        stored=$(find "$work/states" -name '*.scene' | wc -l)
        saving=$(calculate "$(event background seconds) - $(event resigning seconds)")
        check "$stored of 10,000 are stored, in $saving s; it left $took s after the signal, of 30, with status $status" \
            "$stored == 10000 && $took < 30 && $status == 0"
        # What is built without optimising, beside other work, says nothing about how fast it is.
        [[ -n ${JETSAM_SCRATCH:-} ]] ||
            check "that is 10 s or 1.3 times what the disk takes at most" "$saving <= 10 || $saving <= 1.3 * $plain"
        for call in resigned background terminated; do
            check "each of them heard '$call' once" "\"$(event scenes $call)\" == \"10000\""
        done
        rm -rf "$work/states"
    done
}

prove_critical() {
    say "SIGTERM while memory is critically short"
    start_server --simulate-pressure critical
    terminate
    await_end
    check "what had to be saved was let in" "$(count_events saved) == 1 && $(count_events save-refused) == 0 && $status == 0"
}

prove() {
    local part runs=${given[--repeat]}
    # shellcheck source=/dev/null
    source "$package/Scripts/setup.bash"
    need_packages curl iproute2
    step "the demo server"
    build_server
    for part in ending overdue pause fixed_end late_listener stuck_server scenes critical; do
        step "$part"
        "prove_$part"
    done
    printf '\n'
    ((failures == 0)) || fail "$failures of the checks above failed"
    say "all of it held"
}

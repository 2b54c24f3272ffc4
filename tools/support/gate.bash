# A server under a memory limit and its clients, with and without bounds. Sourced by the proofs gate-grpc and gate-nio, which set
#   gate_program     the program of tools/integrations that has `serve` and `load`
#   gate_clients     the options of `load` that say how many send
#   gate_count       how many these are
#   gate_bounds      the option of `serve` that has it bounded

gate_limit=256MiB

# build_gate: the program and the tool that limits it, where the tests of these products are built too.
build_gate() {
    local options=(--package-path tools/integrations --scratch-path .build-integrations "${dependent_flags[@]}")
    need_packages libsqlite3-dev zlib1g-dev
    step "building the server, its clients and jetsam-stress"
    plan_anew tools/integrations
    swift build "${options[@]}" --product "$gate_program"
    swift build "${options[@]}" --product jetsam-stress
    gate_programs=$(swift build "${options[@]}" --show-bin-path)
}

# gate_run NAME OPTION...: one server under the limit, and its clients. Sets `gate_status`, `gate_said` and `gate_peak` (MiB).
gate_run() {
    local name=$1 port="" last=$((SECONDS + 20)) bytes
    shift
    rm -f "$work/$name".*
    : >"$work/$name.err"
    "$gate_programs/jetsam-stress" run --limit "$gate_limit" --report "$work/$name.report" -- \
        "$gate_programs/$gate_program" serve "$@" >"$work/$name.out" 2>"$work/$name.err" &
    children=("$!")
    until port=$(sed -nE 's/.*listening on ([0-9]+)$/\1/p' "$work/$name.err") && [[ -n $port ]]; do
        ((SECONDS < last)) && kill -0 "${children[0]}" 2>/dev/null || { cat "$work/$name.err" >&2; exit 2; }
        sleep 0.05
    done
    gate_said=$(timeout 300 "$gate_programs/$gate_program" load --port "$port" "${gate_clients[@]}" 2>>"$work/$name.err") ||
        gate_said="the clients did not end"
    # The server that was not killed is told to end; what it ends with by itself counts as well.
    kill -TERM "${children[0]}" 2>/dev/null || true
    gate_status=0
    wait "${children[0]}" || gate_status=$?
    children=()
    bytes=$(sed -nE 's/.*"peakBytes":([0-9]+).*/\1/p' "$work/$name.report")
    gate_peak=$((${bytes:-0} >> 20))
}

# prove_gate RUNS: bounded runs, each with its control.
prove_gate() {
    local runs=$1 i killed=0 lived=0 control bounded answered told broken
    build_gate
    step "$runs runs under $gate_limit, each with its control"
    for ((i = 1; i <= runs; i++)); do
        gate_run control
        control="lived, peak $gate_peak MiB"
        if ((gate_status == 3)); then control=killed killed=$((killed + 1)); fi
        gate_run bounded "$gate_bounds"
        read -r _ answered _ told _ broken <<<"$gate_said" || true
        bounded="ended with status $gate_status"
        # Stopped by SIGTERM, and nothing taken by the OOM killer.
        if ((gate_status == 143 || gate_status == 0)); then bounded=lived; fi
        if [[ $bounded == lived && ${broken:-} == 0 && ${answered:-0} -gt 0 && $((answered + told)) == "$gate_count" ]]; then
            lived=$((lived + 1))
        fi
        printf '[%4d s] %d of %d: control %s; bounded %s, %s, peak %d MiB\n' "$SECONDS" "$i" "$runs" "$control" "$bounded" \
            "$gate_said" "$gate_peak"
        [[ $bounded == lived ]] || tail -n 20 "$work/bounded.err" | sed 's/^/    /' >&2
    done
    printf '\n%d of %d lived, with all answered or told; controls killed %d of %d\n' "$lived" "$runs" "$killed" "$runs"
    ((lived == runs && killed == runs))
}

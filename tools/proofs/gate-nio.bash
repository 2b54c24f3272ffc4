# 2,000 connections that each send 1 MiB slowly to a server on SwiftNIO under 256 MiB.

usage="[--repeat N]"
builds=()
takes=([--repeat]=count)
given=([--repeat]=20)

describe() {
    cat <<END
2,000 connections send 1 MiB each, in four seconds or more, to a server on SwiftNIO under 256 MiB. Without the gate it is
killed. With JetsamNIO it lives; every connection is answered or told that the server is busy, and none breaks. Needs the
right to make a memory cgroup; a minute a run beside the build.

  --repeat N    how many runs with their controls (default ${given[--repeat]})
END
}

source tools/support/gate.bash

prove() {
    gate_program=gate-nio gate_count=2000 gate_clients=(--connections 2000) gate_bounds=--gated
    # A descriptor for each connection, on both sides.
    ulimit -Sn "$(ulimit -Hn)"
    [[ $(ulimit -n) == unlimited ]] || (($(ulimit -n) >= 2200)) || { echo "2,200 open files are needed, and $(ulimit -n) allowed" >&2; exit 2; }
    prove_gate "${given[--repeat]}"
}

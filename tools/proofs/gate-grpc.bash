# 500 clients that each send 1 MiB slowly to a gRPC server under 256 MiB.

usage="[--repeat N]"
builds=()
takes=([--repeat]=count)
given=([--repeat]=20)

describe() {
    cat <<END
500 clients send 1 MiB each, in four seconds or more, to a gRPC server under 256 MiB. Without bounds the server is killed.
With JetsamGRPC it lives: every call gets an answer, or the time to come back, and none breaks. Needs the right to create
a memory cgroup. Half a minute a run, without the build.

  --repeat N    the number of runs with their controls (default ${given[--repeat]})
END
}

source tools/support/gate.bash

prove() {
    gate_program=gate-grpc gate_count=500 gate_clients=(--streams 500) gate_bounds=--bounded
    prove_gate "${given[--repeat]}"
}

# The limit of a server with a full cache is cut in place.

usage="[--repeat N]"
builds=(jetsam-stress jetsam)
takes=([--repeat]=count)
given=([--repeat]=20)

describe() {
    cat <<END
The limit of a server with a full cache is cut in place from 512 to 300 MiB, after 'jetsam release --to 300MiB' has made
room: it lives, and the cut takes 50 ms at most. The control is cut without that: on cgroup v2 it is killed, or stalls
for a second; v1 refuses such a cut, and has no control. 17 s a run. tools/test-vm --resize does the same on a kernel of
its own, with v2.

  --repeat N    how many cuts, each with its control (default ${given[--repeat]})
END
}

prove() {
    local status=0
    step "${given[--repeat]} cuts"
    PATH=$(dirname "$tool"):$PATH sh tools/vm/resize "${given[--repeat]}" &
    child=$!
    wait "$child" || status=$?
    child=""
    return "$status"
}

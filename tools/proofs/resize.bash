# The limit of a server with a full cache is cut in place.

usage="[--repeat N]"
builds=(jetsam-stress jetsam)
takes=([--repeat]=count)
given=([--repeat]=20)

describe() {
    cat <<END
Cuts the limit of a server with a full cache in place from 512 to 300 MiB, after 'jetsam release --to 300MiB' has made
room. The server must live, and the cut may take 50 ms. The control is cut without room: on cgroup v2 it is killed, or
stalls for a second. v1 refuses such a cut, so it has no control. 17 s a run. tools/test-vm --resize does the same in a
virtual machine, with v2.

  --repeat N    the number of cuts, each with its control (default ${given[--repeat]})
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

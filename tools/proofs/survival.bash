# Compares what servers do about their memory under disturbances.

usage="[--quick] [--only A,B] [--ways A,B] [--repeat N] [--peer-repeat N] [--budget SIZE] [--config FILE] [--json FILE [--resume]] [--page FILE] [--compare FILE]"
builds=(jetsam-stress jetsam)
takes=([--quick]=nothing [--only]=words [--ways]=words [--repeat]=count [--peer-repeat]=count [--budget]=words [--config]=path [--json]=path [--resume]=nothing
    [--page]=path [--compare]=path)

describe() {
    cat <<END
Compares five ways of handling memory under disturbances: nothing, the best fixed cache, NSCache, a cache that is emptied
at each warning, and Jetsam. Disturbances are growth, ramps, spikes, waves, leaks, a real Redis and memcached, and
others: 'jetsam-stress survive --help' lists them and explains the figures. The table shows which servers were killed, and
the cost: failed requests, latency, hits, requests per CPU second, and bytes released, needed and wasted. This is a
measurement and not a check. All of it takes about an hour and a half, --quick less than 20 minutes. Installs wrk,
redis-server and memcached if they are missing. Do nothing else on the machine, or the figures are wrong.

  --repeat N        the number of runs of Jetsam (default 5)
  --peer-repeat N   the number of runs of each other way (default 2)
  --quick           runs a part, and says what it leaves out
  --only A,B        runs only these disturbances; some run only if they are named here
  --ways A,B        runs only these ways
  --budget SIZE     the budget of the fixed cache under every disturbance, such as 288MiB, instead of the best for each
  --config FILE     the configuration of Jetsam, instead of the defaults
  --json FILE       writes the table to FILE
  --resume          continues the file of --json
  --page FILE       writes a page of HTML with plots and tables
  --compare FILE    lists what differs from another table of --json: a way that was killed in one of them and lived in the
                    other, and released bytes that differ by more than 25 % and 32 MiB. Exit status 1 if there is one
END
}

prove() {
    local page=${given[--page]:-} table=${given[--json]:-$work/survival.json} words=() name server status=0
    [[ -z ${given[--resume]:-} || -n ${given[--json]:-} ]] || wrong_usage "--resume goes on with the file of --json, which is missing"
    for name in --quick --resume; do [[ -z ${given[$name]:-} ]] || words+=("$name"); done
    for name in --only --ways --repeat --peer-repeat --budget --config --compare; do
        [[ -z ${given[$name]:-} ]] || words+=("$name" "${given[$name]}")
    done
    need_packages wrk redis-server memcached
    step "building the demo server"
    plan_anew tools/demo-server
    swift build --package-path tools/demo-server -c release --product demo-server
    server=$(swift build --package-path tools/demo-server -c release --show-bin-path)/demo-server
    step "the runs"
    "$tool" survive --server "$server" --script tools/demo-server/Scripts/zipf.lua --json "$table" "${words[@]}" &
    child=$!
    wait "$child" || status=$?
    child=""
    # 1 says that the tables differ: the page is wanted all the more.
    ((status < 2)) || return "$status"
    [[ -z $page ]] || "$jetsam" report --survival "$table" -o "$page"
    return "$status"
}

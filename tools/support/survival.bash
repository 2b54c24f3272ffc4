# Compares what servers do about their memory under disturbances. Sourced by tools/prove: uses `work`, `tool` and `root`.

# prove_survival PAGE ARGUMENT...: see tools/prove. PAGE is where the page goes, or empty; the rest is for jetsam-stress survive.
prove_survival() {
    local page=$1 table=$work/survival.json argument previous="" server status=0
    shift
    need_packages wrk redis-server memcached
    for argument in "$@"; do
        [[ $previous != --json ]] || table=$argument
        previous=$argument
    done
    [[ $table != "$work/survival.json" ]] || set -- "$@" --json "$table"
    step "building the demo server"
    # The package manager sees that files of the library came or went only when something of the nested package changes.
    touch tools/demo-server/Package.swift
    swift build --package-path tools/demo-server -c release --product demo-server
    server=$(swift build --package-path tools/demo-server -c release --show-bin-path)/demo-server
    step "the runs"
    "$tool" survive --server "$server" --script tools/demo-server/Scripts/zipf.lua "$@" &
    child=$!
    wait "$child" || status=$?
    child=""
    # 1 says that the tables differ: the page is wanted all the more.
    ((status < 2)) || return "$status"
    [[ -z $page ]] || "$(dirname "$tool")/jetsam" report --survival "$table" -o "$page"
    return "$status"
}

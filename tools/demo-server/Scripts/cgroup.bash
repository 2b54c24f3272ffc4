# A cgroup with a memory limit for the server alone. Sourced by tools/demo.
#
#   cgroup_available LIMIT   finds where one can be made; sets cgroup_version (1 or 2), or cgroup_why_not and fails
#   cgroup_make LIMIT        makes one: cgroup_path
#   cgroup_remove            removes it, and whatever still runs in it

cgroup_version="" cgroup_parent="" cgroup_path="" cgroup_why_not=""

# The directories to try on one hierarchy: this process's own, the one above it, and, where a container shows only a
# part of the tree, the root of what is mounted.
cgroup_candidates() {  # MOUNT-POINT PATH
    local own="${1}${2%/}"
    [[ -d $own ]] && echo "$own"
    [[ $2 != / && -d ${own%/*} ]] && echo "${own%/*}"
    echo "$1"
}

cgroup_available() {
    local mount path
    mount=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)
    path=$(sed -n 's/^0:://p' /proc/self/cgroup)
    if [[ -n $mount && -n $path ]] && grep -qw memory "$mount/cgroup.controllers" 2>/dev/null; then
        while read -r cgroup_parent; do
            grep -qw memory "$cgroup_parent/cgroup.subtree_control" 2>/dev/null ||
                (echo +memory >"$cgroup_parent/cgroup.subtree_control") 2>/dev/null || continue
            cgroup_version=2
            cgroup_try "$1" && return
        done < <(cgroup_candidates "$mount" "$path")
    fi
    mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ {print $2; exit}' /proc/mounts)
    path=$(sed -n 's/^[0-9]*:\([^:]*,\)\?memory\(,[^:]*\)\?:\(.*\)$/\3/p' /proc/self/cgroup)
    if [[ -n $mount && -n $path ]]; then
        while read -r cgroup_parent; do
            cgroup_version=1
            cgroup_try "$1" && return
        done < <(cgroup_candidates "$mount" "$path")
    fi
    cgroup_version="" cgroup_parent=""
    : "${cgroup_why_not:=no memory controller is mounted here}"
    return 1
}

# One is made and removed at once, with a process in it, so that the first run does not find out.
cgroup_try() {  # LIMIT
    cgroup_sweep_stale
    if ! cgroup_make "$1" 2>"$work/cgroup.log"; then
        cgroup_why_not="$(tail -n 1 "$work/cgroup.log" | sed 's/^.*line [0-9]*: //')"
        cgroup_remove
        return 1
    fi
    if ! (echo "$BASHPID" >"$cgroup_path/cgroup.procs") 2>"$work/cgroup.log"; then
        cgroup_why_not="$(tail -n 1 "$work/cgroup.log" | sed 's/^.*line [0-9]*: //')"
        cgroup_remove
        return 1
    fi
    cgroup_remove
}

# What an earlier demo left that was itself killed.
cgroup_sweep_stale() {
    local stale owner
    for stale in "$cgroup_parent"/jetsam-demo-*; do
        owner=${stale##*-}
        [[ -d $stale && $owner =~ ^[0-9]+$ && ! -d /proc/$owner ]] && rmdir "$stale" 2>/dev/null
    done
    return 0
}

cgroup_make() {  # LIMIT
    cgroup_path=$cgroup_parent/jetsam-demo-$$
    mkdir "$cgroup_path" || return
    if [[ $cgroup_version == 2 ]]; then
        echo "$1" >"$cgroup_path/memory.max" || return
        # Swap would only put the end off. Where the kernel has none, the file is not there.
        [[ ! -e $cgroup_path/memory.swap.max ]] || echo 0 >"$cgroup_path/memory.swap.max"
    else
        echo "$1" >"$cgroup_path/memory.limit_in_bytes" || return
        [[ ! -e $cgroup_path/memory.memsw.limit_in_bytes ]] || echo "$1" >"$cgroup_path/memory.memsw.limit_in_bytes"
    fi
}

cgroup_remove() {
    [[ -n $cgroup_path && -d $cgroup_path ]] || { cgroup_path=""; return 0; }
    local pid attempt
    for attempt in {1..100}; do
        rmdir "$cgroup_path" 2>/dev/null && break
        for pid in $(cat "$cgroup_path/cgroup.procs" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null; done
        sleep 0.05
    done
    [[ ! -d $cgroup_path ]] || warn "$cgroup_path could not be removed"
    cgroup_path=""
}

cgroup_peak() {
    if [[ $cgroup_version == 1 ]]; then
        cat "$cgroup_path/memory.max_usage_in_bytes"
    elif [[ -e $cgroup_path/memory.peak ]]; then
        cat "$cgroup_path/memory.peak"
    else
        # Before Linux 5.19 there is no peak: the largest that was seen has to do.
        echo "$peak_seen"
    fi
}

cgroup_usage() {
    if [[ $cgroup_version == 1 ]]; then
        cat "$cgroup_path/memory.usage_in_bytes"
    else
        cat "$cgroup_path/memory.current"
    fi
}

cgroup_oom_kills() {
    if [[ $cgroup_version == 1 ]]; then
        sed -n 's/^oom_kill //p' "$cgroup_path/memory.oom_control"
    else
        sed -n 's/^oom_kill //p' "$cgroup_path/memory.events"
    fi
}

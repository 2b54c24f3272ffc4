# Real traces of cache accesses, published with the tools of others: fetched when they are asked for, never kept in the repository.
# Sourced by tools/bench: uses `root`.

traces_at=$root/.build-traces

# From libCacheSim's source distribution: a million requests to cluster 52 of Twitter's caches (Yang, Yue and Rashmi, OSDI 2020), and
# the blocks that a virtual machine at CloudPhysics read and wrote (Waldspurger, Park, Garthwaite and Ahmad, FAST 2015).
libcachesim_url=https://files.pythonhosted.org/packages/af/c4/45905a3f8bc84593550af94a882795e78f2f2b200f90737ff8e4bdb71d5c/libcachesim-0.3.5.tar.gz
libcachesim_sum=a1512046ab45bc0e5f0a81e5673cd02209477ffeefcb17a05fa714a06371abfb
# From Debian's package of Ristretto: the files that the retrieval tool Glimpse went through (Jiang and Zhang, SIGMETRICS 2002).
glimpse_package=golang-github-dgraph-io-ristretto-dev
glimpse_path=usr/share/gocode/src/github.com/dgraph-io/ristretto/sim/gli.lirs.gz

# from_libcachesim: both of its traces, one key a line.
from_libcachesim() {
    local archive=$traces_at/libcachesim.tar.gz data=src/libCacheSim/data
    need_packages curl ca-certificates
    curl -fsSL --retry 2 -m 300 -o "$archive" "$libcachesim_url" || return 1
    printf '%s  %s\n' "$libcachesim_sum" "$archive" | sha256sum -c --quiet || return 1
    tar -xzOf "$archive" --wildcards "*/$data/twitter_cluster52.csv" |
        awk -F ', *' '!/^#/ { print $2 }' >"$traces_at/twitter.part" &&
        tar -xzOf "$archive" --wildcards "*/$data/cloudPhysicsIO.txt" >"$traces_at/cloudphysics.part" || return 1
    rm -f "$archive"
    mv "$traces_at/twitter.part" "$traces_at/twitter-cluster52"
    mv "$traces_at/cloudphysics.part" "$traces_at/cloudphysics-vm"
}

# from_ristretto: Glimpse's trace, one key a line.
from_ristretto() {
    local place=$traces_at/package
    mkdir -p "$place"
    update_packages
    (cd "$place" && apt-get -q -o APT::Sandbox::User=root download "$glimpse_package") >/dev/null &&
        dpkg-deb --fsys-tarfile "$place"/*.deb | tar -xO "./$glimpse_path" | gzip -dc >"$traces_at/glimpse.part" || return 1
    rm -rf "$place"
    mv "$traces_at/glimpse.part" "$traces_at/glimpse"
}

# fetch_traces: their files to `traces_at`; what cannot be had is named and left out.
fetch_traces() {
    mkdir -p "$traces_at"
    if [[ ! -s $traces_at/twitter-cluster52 || ! -s $traces_at/cloudphysics-vm ]]; then
        step "fetching libCacheSim's traces (81 MB)"
        from_libcachesim || printf 'warning: libCacheSim'\''s traces could not be fetched from %s\n' "$libcachesim_url" >&2
    fi
    if [[ ! -s $traces_at/glimpse ]]; then
        step "fetching Glimpse's trace"
        from_ristretto || printf 'warning: the Debian package %s could not be fetched\n' "$glimpse_package" >&2
    fi
    rm -rf "$traces_at"/*.part "$traces_at"/package "$traces_at"/*.tar.gz
}

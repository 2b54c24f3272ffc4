# Brings the machine to where the demo can run, and builds the server. Sourced by tools/demo.

need_command() {  # COMMAND PACKAGE...
    local command=$1
    shift
    command -v "$command" >/dev/null && return
    command -v apt-get >/dev/null ||
        fail "'$command' is missing and there is no apt-get to install it with: install $* by hand"
    local sudo=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || fail "'$command' is missing: become root or install sudo, or install $* by hand"
        sudo=(sudo)
    fi
    say "installing $*"
    if ((!apt_is_fresh)); then
        "${sudo[@]}" apt-get update -qq >"$work/apt.log" 2>&1 || fail "apt-get update failed" "$work/apt.log"
        apt_is_fresh=1
    fi
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >"$work/apt.log" 2>&1 ||
        fail "apt-get install $* failed" "$work/apt.log"
}
apt_is_fresh=0

build_server() {
    command -v swift >/dev/null ||
        fail "there is no Swift here: install 6.2 or later from https://www.swift.org/install/linux/"
    if [[ -n ${JETSAM_SCRATCH:-} ]]; then
        server=$JETSAM_SCRATCH/debug/demo-server
        [[ -x $server ]] || fail "JETSAM_SCRATCH says where everything is built, but there is no $server"
        return
    fi
    say "building the server (the first time takes some minutes)"
    # The package manager plans anew only when something of the nested package changes: without this it would not see
    # that a file was added to the library, or taken out of it.
    touch "$package/Package.swift"
    swift build --package-path "$package" -c release --product demo-server >"$work/build.log" 2>&1 ||
        fail "the server did not build" "$work/build.log"
    server=$(swift build --package-path "$package" -c release --show-bin-path 2>/dev/null)/demo-server
    [[ -x $server ]] || fail "the server was built, but is not at $server"
}

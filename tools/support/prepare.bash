# Sourced by the scripts in tools/: goes to the package's root, and brings a new Debian or Ubuntu machine to where the package builds.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
root=$PWD

# What a package is built with that depends on this one: it says in its manifest which traits it wants. JETSAM_SCRATCH is the build
# folder of tools/test, where everything is built once. In CI nobody steps through a program. (The index has to be: tests are found
# by it.)
dependent_flags=()
[[ -z ${JETSAM_SCRATCH:-} ]] || dependent_flags+=(--scratch-path "$JETSAM_SCRATCH")
[[ -z ${CI:-} ]] || dependent_flags+=(-Xswiftc -gnone)
# The trait that this package and its tests are built with; it brings JetsamNIO too. The demo server asks for the same, and for no other:
# the package manager passes two traits to the compiler in an order that changes from plan to plan, and then all is compiled again.
traits=(--traits Hummingbird)
build_flags=("${dependent_flags[@]}" "${traits[@]}")

# plan_anew PACKAGE: before a build of a package that has this one by its path. The package manager plans anew only when something
# of that package itself changes: without this it would not see that a file was added to this one, or taken out of it.
plan_anew() { touch "$1/Package.swift"; }

# Every step says what it is and when it began, so that a slow one is seen while it runs.
step() { printf '\n==> [%3d s] %s\n' "$SECONDS" "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
wrong_usage() { printf 'error: %s\nTry: %s --help\n' "$*" "$0" >&2; exit 64; }

# as_root COMMAND...: runs it as root, by sudo where we are not.
as_root() {
    if ((EUID == 0)); then
        "$@" </dev/null
    else
        command -v sudo >/dev/null || fail "'$*' has to run as root, and there is no sudo: run it first"
        sudo "$@" </dev/null
    fi
}

# update_packages: brings the list of packages up to date, once a run.
update_packages() {
    [[ -z ${packages_are_fresh:-} ]] || return 0
    command -v apt-get >/dev/null || fail "there is no apt-get here: install by hand what is missing"
    as_root apt-get -q update || fail "apt-get update failed"
    packages_are_fresh=yes
}

# need_packages NAME...: installs those Debian packages that are missing.
need_packages() {
    local missing=() name
    for name in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    step "installing ${missing[*]}"
    update_packages
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}" ||
        fail "apt-get could not install ${missing[*]}"
}

# library_path NAME: where the linker of the running system finds a library; nothing where it does not. All is read that ldconfig
# prints: one that is left in the middle of it ends with an error.
library_path() {
    ldconfig -p | awk -v name="$1" '$1 == name && !found++ { print $NF }'
}

# need_swift: Swift 6.2 or later, and what the package links.
need_swift() {
    local version
    command -v swift >/dev/null || fail "Swift is not installed, or not in PATH: https://www.swift.org/install/linux/"
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
    [[ -n $version ]] || fail "'swift --version' names no version"
    printf '%s\n' 6.2 "$version" | sort -V -C || fail "Swift 6.2 or later is needed, and this is $version"
    need_packages libjemalloc-dev pkg-config
}

# Proves that Jetsam links statically, with jemalloc and without, and finds the allocator each time; and that a module that is used
# alone brings nothing else along.

usage=""
builds=()
takes=()

describe() {
    cat <<END
Links Jetsam fully static and with Swift's libraries static, with jemalloc and without. Each time it must find the
allocator of the process, also if jemalloc is preloaded. Needs libjemalloc-dev. The first build takes five minutes.
END
}

# expect WHAT WORDS COMMAND...: runs it and compares the first words of what it says.
expect() {
    local what=$1 words=$2 said
    shift 2
    said=$("$@" 2>&1) || { printf 'MISS  %-44s ended with an error: %s\n' "$what" "$said"; missed=1; return; }
    if [[ $said == "$words "* ]]; then
        printf 'PASS  %-44s %s\n' "$what" "$words"
    else
        printf 'MISS  %-44s expected %s, but: %s\n' "$what" "$words" "$said"
        missed=1
    fi
}

# built LABEL OPTION...: builds both programs; fails with what the linker said where they do not link.
built() {
    local label=$1
    shift
    step "linking $label"
    swift build --package-path Tests/Linking --scratch-path .build-linking "$@" >"$work/log" 2>&1 || {
        grep -E 'error|multiple definition|duplicate' "$work/log" >&2 || tail -n 20 "$work/log" >&2
        fail "it does not link $label"
    }
}

# modules PROGRAM: the modules of packages whose object files are linked into it.
modules() {
    sed -E "s,.*/([^/]+)\.build/.*,\1," "$binaries/$1.product/Objects.LinkFileList" | sort -u
}

# expect_modules PROGRAM ALLOWED...: shows what it links, and holds it against what it may.
expect_modules() {
    local program=$1 others linked
    shift
    linked=$(modules "$program")
    others=$(comm -23 <(printf '%s\n' "$linked") <(printf '%s\n' "$program" "$@" | sort -u))
    if [[ -z $others && $'\n'$linked$'\n' == *$'\n'"$1"$'\n'* ]]; then
        printf 'PASS  %-44s %s\n' "modules in $program" "$(tr '\n' ' ' <<<"$linked")"
    else
        printf 'MISS  %-44s %s\n' "modules in $program" "besides what is allowed: $(tr '\n' ' ' <<<"$others")"
        missed=1
    fi
}

end() { rm -f Tests/Linking/Package.resolved; }

prove() {
    local missed=0 binaries=.build-linking/debug jemalloc small
    rm -f Tests/Linking/Package.resolved
    built "fully static" --static-swift-stdlib -Xswiftc -static-executable
    # Name, whether it can be trimmed, whether what was freed is seen (and, by jemalloc, gone after a purge).
    expect "static, C library's allocator" "glibc true true" "$binaries/Plain"
    expect "static, with jemalloc" "jemalloc true true" "$binaries/Jemalloc"
    built "with Swift's libraries shared"
    # Swift's libraries, our own small modules, swift-system and the heap of swift-collections; no logging, metrics or service groups.
    small=(CLinuxShims CSystem HeapModule InternalCollectionsUtilities JetsamSystem SystemPackage)
    expect "background tasks alone" "1 0" "$binaries/Tasks"
    expect_modules Tasks BackgroundTasks "${small[@]}"
    expect "caches alone" "7 3" "$binaries/Caches"
    expect_modules Caches PurgeableCaches "${small[@]}"
    built "with Swift's libraries static" --static-swift-stdlib
    expect "Swift's libraries static" "glibc true true" "$binaries/Plain"
    expect "Swift's libraries static, with jemalloc" "jemalloc true true" "$binaries/Jemalloc"
    jemalloc=$(library_path libjemalloc.so.2)
    [[ -n $jemalloc ]] || fail "libjemalloc.so.2 is not installed"
    expect "jemalloc preloaded, and not linked" "jemalloc true true" env LD_PRELOAD="$jemalloc" "$binaries/Plain"
    return "$missed"
}

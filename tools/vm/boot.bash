# Sourced by tools/test-vm: a small machine with a kernel that knows cgroup v2 alone, and what is put into it.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/jetsam-vm
# In the order in which they are loaded: swap into compressed memory.
modules=(zsmalloc lzo-rle zram)

# fetch_machine: a kernel, its modules for swap where the package has them, and a busybox from the distribution's packages, unpacked into the cache and never installed.
fetch_machine() {
    [[ $(uname -m) == x86_64 ]] || fail "the virtual machine is for x86-64, and this is $(uname -m)"
    need_packages qemu-system-x86 cpio
    [[ ! -e $cache/complete.2 ]] || return 0
    step "fetching a kernel and busybox into $cache"
    local kernel meta partial module file
    find_kernel() {
        for meta in linux-image-cloud-amd64 linux-image-virtual; do
            kernel=$(apt-cache depends "$meta" 2>/dev/null | awk '/Depends: linux-image-[0-9]/ && !found++ { print $2 }')
            [[ -z $kernel ]] || return 0
        done
        return 1
    }
    find_kernel || { update_packages && find_kernel; } || fail "apt has neither linux-image-cloud-amd64 nor linux-image-virtual"
    rm -rf "$cache"
    mkdir -p "$cache"
    partial=$(mktemp -d "$cache/partial.XXXXXX")
    (cd "$partial" && apt-get -q -o APT::Sandbox::User=root download "$kernel" busybox-static) ||
        { update_packages && (cd "$partial" && apt-get -q -o APT::Sandbox::User=root download "$kernel" busybox-static); } ||
        fail "apt-get could not download $kernel and busybox-static"
    for package in "$partial"/*.deb; do dpkg -x "$package" "$partial/root"; done
    cp "$partial"/root/boot/vmlinuz-* "$cache/vmlinuz"
    find "$partial/root" -path '*bin/busybox' -exec cp {} "$cache/busybox" \;
    for module in "${modules[@]}"; do
        file=$(find "$partial/root" -path "*/kernel/*/$module.ko*" -print -quit)
        case $file in
            *.ko) cp "$file" "$cache/$module.ko" ;;
            *.xz) xz -dc "$file" >"$cache/$module.ko" ;;
            *.zst) zstd -q -dc "$file" >"$cache/$module.ko" ;;
        esac
    done
    rm -rf "$partial"
    # Last: a fetch that was cut off is made again. Another number where other files are kept.
    echo "$kernel" >"$cache/complete.2"
}

# ship TREE PROGRAM [PATH]: puts a program into the tree, at PATH (else where it is here), with all that it is linked with.
ship() {
    local tree=$1 program=$2 target=$1${3:-$2} library
    mkdir -p "$(dirname "$target")"
    cp -L "$program" "$target"
    # Most of a debug build is for the debugger, and the machine keeps all of it in its memory.
    strip --strip-debug "$target" 2>/dev/null || true
    while read -r library; do
        [[ -e $tree$library ]] && continue
        mkdir -p "$tree$(dirname "$library")"
        cp -L "$library" "$tree$library"
    done < <(ldd "$program" 2>/dev/null | grep -oE '/[^ ]+' || true)
}

# end_machine: ends a machine that still runs.
end_machine() {
    [[ ! -e $work/machine ]] || kill "$(<"$work/machine")" 2>/dev/null || true
}

# boot TREE MEMORY: starts the machine with the tree as its root and so many MiB of memory, shows its console, and succeeds if the
# guest said that all passed.
boot() {
    local tree=$1 memory=$2 time=${JETSAM_VM_TIMEOUT:-900} image=$work/initrd log=$work/console
    (cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet) >"$image"
    # Software emulation, and the old PC: both start every time wherever this runs, which KVM and microvm do not.
    # The kernel tests its ciphers while it boots, and now and then one of these tests never ends in emulation.
    # Not in the foreground: a shell that waits for a program there looks at no signal.
    (
        timeout "$time" qemu-system-x86_64 -M pc -accel tcg -cpu max -smp 2 -m "$memory" -display none -nodefaults -no-reboot \
            -serial stdio -kernel "$cache/vmlinuz" -initrd "$image" \
            -append "console=ttyS0 quiet panic=-1 psi=1 cryptomgr.notests" </dev/null &
        echo $! >"$work/machine"
        wait $! || echo "FAIL the machine was stopped after $time seconds"
        rm -f "$work/machine"
    ) | stdbuf -oL tr -d '\r' | tee "$log" &
    wait $!
    grep -q '^ALL PASSED$' "$log"
}

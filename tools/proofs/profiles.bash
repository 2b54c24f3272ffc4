# Tries the shipped profiles on traces that are recorded here.

usage=""
builds=(jetsam-stress jetsam)
takes=()

describe() {
    cat <<END
Records three servers under pressure: memory in waves, the same in a small container, and slow growth beside a large
cache. Each recording must replay byte for byte. Each shipped profile is tried on each recording, and must serve its
purpose there. A minute and a half, without the build.
END
}

profiles=(default small-container keep-caches)
profile_failures=0
say_tried() {  # VERDICT TEXT
    [[ $1 == OK ]] || profile_failures=$((profile_failures + 1))
    printf '  %-4s %s\n' "$1" "$2"
}

# record_trace NAME LIMIT OPTION...: a managed jetsam-stress in a cgroup with that limit, as $work/NAME.jsonl.
record_trace() {
    local name=$1 limit=$2
    shift 2
    printf '  %s\n' "$name"
    "$tool" run --limit "$limit" -- "$tool" "$@" --managed --trace "$work/$name.jsonl" >"$work/out" 2>"$work/err" ||
        { cat "$work/err" >&2; printf 'error: nothing could be recorded\n' >&2; exit 2; }
}

# figure FILE WHO KEY: a number of one side of what `jetsam replay --config --json` wrote.
figure() {
    sed -nE "s/.*\"$2\":\{([^}]*)\}.*/\1/p" "$1" | sed -nE "s/.*\"$3\":(-?[0-9]+).*/\1/p"
}

# try_profiles NAME: each profile on $work/NAME.jsonl.
try_profiles() {
    local profile result
    if "$jetsam" replay "$work/$1.jsonl" >"$work/out" 2>&1; then
        say_tried OK "$1 replays byte for byte"
    else
        say_tried MISS "$1: $(head -n 1 "$work/out")"
    fi
    for profile in "${profiles[@]}"; do
        result=$work/$1.$profile.json
        "$jetsam" replay "$work/$1.jsonl" --config "$work/$profile.yaml" --json >"$result" ||
            { say_tried MISS "$1 cannot be replayed with $profile"; continue; }
        awk -v name="$1" -v profile="$profile" -v steps="$(figure "$result" trial steps)" \
            -v bytes="$(figure "$result" trial purgedBytes)" -v warning="$(figure "$result" trial warningNanoseconds)" \
            -v critical="$(figure "$result" trial criticalNanoseconds)" \
            -v least="$(figure "$result" trial leastHeadroomPercent)" 'BEGIN {
                printf "       %-10s %-16s %5d steps %7.1f MiB asked %6.1f s warning %6.1f s critical %4d %% least headroom\n",
                    name, profile, steps, bytes / 1048576, warning / 1e9, critical / 1e9, least
            }'
        (($(figure "$result" trial kills) == 0)) || say_tried MISS "$1, $profile: no headroom is left"
    done
    result=$work/$1.default.json
    if grep -q '"trial":{.*"modelBegins":null' "$result"; then
        say_tried OK "$1: the default profile is what it was recorded with"
    else
        say_tried MISS "$1: the default profile decides otherwise than the defaults"
    fi
}

# hold TEXT TRACE KEY PROFILE OPERATOR PROFILE: the one's figure against the other's.
hold() {
    local left right
    left=$(figure "$work/$2.$4.json" trial "$3") right=$(figure "$work/$2.$6.json" trial "$3")
    if ((left $5 right)); then say_tried OK "$1"; else say_tried MISS "$1: $left against $right"; fi
}

prove() {
    local name profile
    for profile in "${profiles[@]}"; do
        "$jetsam" check --print-profile "$profile" >"$work/$profile.yaml" || fail "no profile $profile"
        "$jetsam" check "$work/$profile.yaml" >/dev/null || fail "profile $profile is refused by jetsam check"
    done
    step "recording, a minute and a half"
    record_trace waves 384MiB --pattern sawtooth --purgeable 160MiB --limit 310MiB --rate 80MB/s --hold 1s --duration 25s
    record_trace small 128MiB --pattern sawtooth --purgeable 40MiB --limit 90MiB --rate 20MB/s --hold 1s --duration 25s
    record_trace slow 512MiB --pattern leak --purgeable 256MiB --limit 380MiB --rate 12MB/s --duration 30s
    step "each profile on each trace"
    for name in waves small slow; do try_profiles "$name"; done
    step "what the profiles are for"
    hold "small: small-container is critical for less time" small criticalNanoseconds small-container '<' default
    hold "slow: keep-caches gives up less" slow purgedBytes keep-caches '<' default
    hold "slow: keep-caches is under pressure for less time" slow warningNanoseconds keep-caches '<' default
    hold "slow: keep-caches comes nearer to the limit" slow leastHeadroomPercent keep-caches '<' default
    printf '\n%d checks missed\n' "$profile_failures"
    ((profile_failures == 0))
}

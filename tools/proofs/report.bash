# Looks at reports in a real browser.

usage="[--keep DIR] [--pictures]"
builds=(jetsam-stress jetsam)
takes=([--keep]=path [--pictures]=nothing)

describe() {
    cat <<END
Records a server under pressure, makes up a day, and opens the reports of both in Chromium: light and dark, 1280 and 400
pixels wide. The page must fetch nothing, overflow nowhere, and keep the console empty. Every plot and table must have
the name, the role and the contrast that readers need. Installs the package chromium (100 MB) if it is missing. A minute
and a half, without the build.

  --keep DIR    keeps the reports and their pictures there
  --pictures    if all is right, renews the pictures of a report in the documentation
END
}

report_failures=0
say_check() {  # VERDICT TEXT
    [[ $1 == OK ]] || report_failures=$((report_failures + 1))
    printf '  %-4s %s\n' "$1" "$2"
}

# browse SCHEME OPTION... URL: Chromium without a window, in light or dark.
browse() {
    local scheme=$1 settings=preferredColorScheme=1 sandbox=()
    shift
    [[ $scheme == light ]] || settings=preferredColorScheme=0
    # Its sandbox refuses to work for root.
    ((EUID != 0)) || sandbox=(--no-sandbox)
    timeout 120 "$browser" --headless "${sandbox[@]}" --disable-gpu --hide-scrollbars --no-first-run \
        --user-data-dir="$work/profile" --blink-settings="$settings" "$@" 2>>"$work/browser.log"
}

# check_page NAME WIDTH SCHEME: opens $work/NAME.html and prints each check that is missed, and how many were made.
check_page() {
    local name=$1 width=$2 scheme=$3 line made=0 height
    browse "$scheme" --allow-file-access-from-files --enable-blink-features=ComputedAccessibilityInfo \
        --virtual-time-budget=10000 --window-size=1400,1000 --dump-dom \
        "file://$root/tools/support/report-checks.html?page=file://$work/$name.html&width=$width" >"$work/checks.html"
    sed -n '/<pre id="result"/,/^end$/p' "$work/checks.html" | sed '1d' >"$work/checks"
    [[ $(tail -n 1 "$work/checks") == end ]] || { say_check MISS "$name, $width pixels, $scheme: the browser gave no result"; return; }
    grep -qx "dark $([[ $scheme == dark ]] && echo true || echo false)" "$work/checks" ||
        say_check MISS "$name: the browser did not take the scheme $scheme"
    while read -r line; do
        case $line in
            'OK '*) made=$((made + 1)) ;;
            'MISS '*) say_check MISS "$name, $width pixels, $scheme: ${line#MISS }" ;;
        esac
    done <"$work/checks"
    say_check OK "$name, $width pixels, $scheme: $made checks met"
    height=$(sed -n 's/^height //p' "$work/checks")
    take_picture "$name" "$width" "$scheme" "$height"
}

# take_picture NAME WIDTH SCHEME HEIGHT: the whole page as $work/NAME-WIDTH-SCHEME.png, through a frame of that width.
take_picture() {
    local height=$(($4 < 16000 ? $4 : 16000)) picture=$work/$1-$2-$3.png
    browse "$3" --allow-file-access-from-files --virtual-time-budget=10000 --window-size="$2,$height" --screenshot="$picture" \
        "file://$root/tools/support/report-checks.html?page=file://$work/$1.html&width=$2&height=$height" >/dev/null
    if [[ $(head -c 4 "$picture" 2>/dev/null | tail -c 3) == PNG ]]; then
        say_check OK "$1, $2 pixels, $3: a picture of $2 by $height pixels"
    else
        say_check MISS "$1, $2 pixels, $3: the browser made no picture"
    fi
}

# check_console NAME: opened by itself the page makes the browser complain of nothing.
check_console() {
    : >"$work/console"
    browse light --enable-logging=stderr --virtual-time-budget=10000 --dump-dom "file://$work/$1.html" 2>"$work/console" \
        >"$work/dom"
    if grep -q 'CONSOLE' "$work/console"; then
        say_check MISS "$1: the browser's console says $(grep -m 1 'CONSOLE' "$work/console")"
    elif ! grep -q '</html>' "$work/dom"; then
        say_check MISS "$1: the browser did not open it"
    else
        say_check OK "$1: nothing in the browser's console"
    fi
}

# make_report NAME: from $work/NAME.jsonl, in how long and of which size.
make_report() {
    local begun=$EPOCHREALTIME size
    "$jetsam" report "$work/$1.jsonl" -o "$work/$1.html" || fail "no report of $1"
    size=$(stat -c %s "$work/$1.html")
    printf '  %s: %d lines, %d bytes of page, %s s\n' "$1" "$(wc -l <"$work/$1.jsonl")" "$size" \
        "$(awk "BEGIN { printf \"%.2f\", $EPOCHREALTIME - $begun }")"
    ((size < 1000000)) && say_check OK "$1: the page is under a megabyte" || say_check MISS "$1: the page has $size bytes"
}

# renew_pictures: those of the page about traces, in light and dark, of what fits into a column of text.
renew_pictures() {
    local scheme suffix=""
    for scheme in light dark; do
        take_picture pressure 840 "$scheme" 2160
        cp "$work/pressure-840-$scheme.png" "Sources/Jetsam/Documentation.docc/report$suffix.png"
        suffix="~dark"
    done
}

prove() {
    local name width scheme keep=${given[--keep]:-} pictures=${given[--pictures]:-}
    browser=$(command -v chromium || true)
    if [[ -z $browser ]]; then
        need_packages chromium
        browser=$(command -v chromium) || fail "the package chromium has no command chromium"
    fi
    step "recording a server under pressure"
    "$tool" run --limit 384MiB -- "$tool" --pattern sawtooth --purgeable 160MiB --limit 310MiB --rate 80MB/s --hold 1s \
        --duration 25s --managed --trace "$work/pressure.jsonl" >"$work/out" 2>"$work/err" ||
        { cat "$work/err" >&2; printf 'error: nothing could be recorded\n' >&2; exit 2; }
    step "making up a day of 864,000 readings"
    "$tool" trace "$work/day.jsonl" 2>/dev/null || fail "no day"
    step "the reports"
    make_report pressure
    make_report day
    step "in the browser: $("$browser" --version 2>/dev/null)"
    for name in pressure day; do
        check_console "$name"
        for width in 1280 400; do
            for scheme in light dark; do check_page "$name" "$width" "$scheme"; done
        done
    done
    if [[ -n $keep ]]; then
        mkdir -p "$keep"
        cp "$work"/{pressure,day}.html "$work"/{pressure,day}-*.png "$keep/"
        say_check OK "pages and pictures are kept in $keep"
    fi
    if [[ -n $pictures ]] && ((report_failures == 0)); then renew_pictures; fi
    printf '\n%d checks missed\n' "$report_failures"
    ((report_failures == 0))
}

# Finds links of Markdown pages that lead nowhere. Sourced by tools/lint.

# broken_links PAGE...: the links to files, and to headings of them, that are not there; none where all are.
broken_links() {
    local page link path heading
    for page in "$@"; do
        while IFS= read -r link; do
            case $link in http://* | https://* | mailto:*) continue ;; esac
            path=${link%%#*}
            heading=""
            [[ $link != *#* ]] || heading=${link#*#}
            if [[ -n $path && ! -e $(dirname "$page")/$path ]]; then
                echo "$page: $link"
            elif [[ -n $heading ]]; then
                [[ -z $path ]] && path=$page || path=$(dirname "$page")/$path
                headings "$path" | grep -qxF -- "$heading" || echo "$page: $link (there is no such heading)"
            fi
        done < <(awk '/^```/ { code = !code } !code' "$page" | sed -E 's/`[^`]*`//g' |
            grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\(//; s/\)$//')
    done
}

# headings PAGE: how GitHub calls them in links.
headings() {
    awk '/^```/ { code = !code } !code && /^#+ /' "$1" | sed -E 's/^#+ +//; s/`//g' | tr '[:upper:]' '[:lower:]' |
        sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

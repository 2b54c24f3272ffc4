# Finds which folders of a module use which, and which of them in a circle. Sourced by tools/lint and tools/map.
#
# By the names of types: a file uses the folder in which a type that it names is declared. What two folders declare is left out, and
# so are members of extensions.

# folder_uses PLACE: an arrow for each use of one folder by another, of those directly below PLACE: FROM TO. A folder counts with all
# that is below it; files of PLACE itself are "(top)".
folder_uses() {
    local file folder
    while IFS= read -r file; do
        folder=${file#"$1"/}
        [[ $folder == */* ]] && folder=${folder%%/*} || folder="(top)"
        sed -E 's,//.*,,' "$file" | awk -v folder="$folder" '
            {
                line = $0
                if (line ~ /^(@[A-Za-z]+(\([^)]*\))? +)*((public|package|internal|private|fileprivate|final|indirect|nonisolated) +)*(struct|class|enum|protocol|actor|typealias) +[A-Za-z]/) {
                    match(line, /(struct|class|enum|protocol|actor|typealias) +[A-Za-z_0-9]+/)
                    name = substr(line, RSTART, RLENGTH)
                    sub(/^.* /, "", name)
                    print "declares", folder, name
                }
                while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
                    word = substr(line, RSTART, RLENGTH)
                    line = substr(line, RSTART + RLENGTH)
                    if (word ~ /^[A-Z]/ && !(word in seen)) { seen[word]; print "names", folder, word }
                }
            }'
    done < <(find "$1" -name '*.swift' | sort) | awk '
        $1 == "declares" { if (($3 in home) && home[$3] != $2) twice[$3]; home[$3] = $2 }
        $1 == "names" { named[$2 " " $3] }
        END {
            for (pair in named) {
                split(pair, part, " ")
                if ((part[2] in home) && !(part[2] in twice) && home[part[2]] != part[1]) {
                    edge[part[1] " " home[part[2]]]
                }
            }
            for (pair in edge) print pair
        }' | sort
}

# circles PLACE: the folders directly below PLACE that are in a circle, a line each; none where there are no circles.
circles() {
    folder_uses "$1" | awk '
        { edge[$1 " " $2]; folders[$1]; folders[$2] }
        END {
            do {
                grown = 0
                for (from in folders) for (over in folders) if ((from " " over) in edge)
                    for (to in folders) if ((over " " to) in edge && !((from " " to) in edge)) { edge[from " " to]; grown = 1 }
            } while (grown)
            for (folder in folders) if ((folder " " folder) in edge) print folder
        }' | sort
}

# Kills processes that write to a flight recorder, and reads what they left.

usage="[--kills N] [--seed S] [--json FILE]"
builds=(jetsam-stress)
takes=([--kills]=count [--seed]=number [--json]=path)
given=([--kills]=1000 [--seed]=1)

describe() {
    cat <<END
Processes whose threads write to a flight recorder as fast as they can are killed at random moments. Each recording has
to open, to hold nothing that was not written, and to hold every record that was, by what each thread noted in a second
shared mapping after it wrote. About a minute beside the build. A failure names its seed: --kills 1 --seed S makes that
run again.

  --kills N     how many processes that record are killed (default ${given[--kills]})
  --seed S      of the first of these; each further one has the next (default ${given[--seed]})
  --json FILE   writes {"runs", "seed", "failures", "begun", "committed", "read", "torn", "skipped", "wrapped"} to FILE:
                processes, and what of their records was looked at
END
}

prove() {
    local kills=${given[--kills]} seed=${given[--seed]} passed=0
    step "$kills processes that record are killed, from seed $seed"
    "$tool" record-kills --runs "$kills" --seed "$seed" --json >"$work/kills" || passed=1
    [[ -s $work/kills ]] || fail "the kills could not be made"
    awk 'function number(key) { match($0, "\"" key "\":[0-9]+"); return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) }
        {
            printf "%d killed, %d of them while they recorded, %d after their ring had come round\n", \
                number("runs"), number("begun"), number("wrapped")
            printf "%d committed records had to be there and were compared, %d were read, %d were torn\n", \
                number("committed"), number("read"), number("torn")
            printf "%d failures\n", number("failures")
        }' "$work/kills"
    [[ -z ${given[--json]:-} ]] || cp "$work/kills" "${given[--json]}"
    return "$passed"
}

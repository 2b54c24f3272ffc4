# Kills processes that write to a flight recorder, and reads what they left.

usage="[--kills N] [--seed S] [--json FILE]"
builds=(jetsam-stress)
takes=([--kills]=count [--seed]=number [--json]=path)
given=([--kills]=1000 [--seed]=1)

describe() {
    cat <<END
Kills processes at random moments while their threads write to a flight recorder as fast as they can. Each recording must
open. It must have every record that was written, and no others. (Each thread notes what it wrote in a second shared
mapping.) About a minute, without the build. A failure names its seed: --kills 1 --seed S repeats that run.

  --kills N     the number of processes to kill (default ${given[--kills]})
  --seed S      the seed of the first one; each further one has the next (default ${given[--seed]})
  --json FILE   writes {"runs", "seed", "failures", "begun", "committed", "read", "torn", "skipped", "wrapped"} to FILE:
                the number of processes, and of records in each state
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

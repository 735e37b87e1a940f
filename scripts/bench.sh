#!/usr/bin/env bash
# Sets up, builds, measures and draws: everything from nothing to charts.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/bench.sh [--quick | --full] [--output DIR]

Sets up, builds, measures every queue, draws the charts, writes the report and prints a summary.
When it was interrupted, run it again: it goes on where it stopped.

  --quick        minutes, the default
  --full         every size, more rounds
  --output DIR   where figures, charts and the report go; results/local by default
END
}

refuse() {
  echo "bench.sh: $1" >&2
  usage >&2
  exit 2
}

profile=--quick
output=$PWD/results/local
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit ;;
    --quick | --full) profile=$1; shift ;;
    --output)
      [[ -n ${2-} ]] || refuse "--output needs a directory"
      output=$(cd "$caller" && realpath --canonicalize-missing -- "$2")
      shift 2
      ;;
    *) refuse "unknown argument '$1'" ;;
  esac
done

./scripts/setup.sh
python=.venv/bin/python
mapfile -t benches < <($python scripts/run.py --list)
./scripts/build.sh release "${benches[@]}"

# Status 1 says that a cell failed: the others are drawn all the same.
status=0
$python scripts/run.py "$profile" --output "$output" || status=$?
[[ $status -le 1 ]] || exit "$status"
$python scripts/plot.py "$output"
$python scripts/report.py "$output"
$python scripts/summary.py "$output"
exit "$status"

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

profile=""
output=$PWD/results/local
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit ;;
    --quick | --full)
      [[ -z $profile || $profile == "$1" ]] || refuse "$profile and $1 exclude each other"
      profile=$1
      shift
      ;;
    --output)
      [[ -n ${2-} && $2 != -* ]] || refuse "--output needs a directory"
      output=$(cd "$caller" && realpath --canonicalize-missing -- "$2")
      [[ -d $output || ! -e $output ]] || refuse "--output '$output' is no directory"
      shift 2
      ;;
    *) refuse "unknown argument '$1'" ;;
  esac
done

# What measures and draws says by itself that it was interrupted; what comes before does not.
trap 'echo "bench.sh: interrupted; the same command goes on from here" >&2; exit 130' INT
./scripts/setup.sh measure
python=.venv/bin/python
mapfile -t benches < <($python scripts/run.py --list)
cmake --preset release >/dev/null
cmake --build --preset release --parallel "$(nproc)" --target "${benches[@]}"
trap - INT

# Status 1 says that a cell failed: the others are drawn all the same.
status=0
$python scripts/run.py "${profile:---quick}" --output "$output" || status=$?
[[ $status -le 1 ]] || exit "$status"
$python scripts/plot.py "$output"
$python scripts/report.py "$output"
$python scripts/summary.py "$output"
exit "$status"

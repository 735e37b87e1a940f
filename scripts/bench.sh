#!/usr/bin/env bash
# Sets up, builds, measures and draws: everything from nothing to charts.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/bench.sh [--quick | --full] [--output DIR] [WHAT...] [--compare REV]

Sets up, builds, measures every queue, draws the charts, writes the report and prints a summary.
When it was interrupted, run it again: it goes on where it stopped.

  --quick          minutes, the default
  --full           every size, and longer
  --output DIR     where figures, charts and the report go; results/local by default

What is measured, and built for that, if it is not all:
  --queue NAME     this queue; several may be given
  --trace FILE     this recording, in the form of benches/traces/FORMAT.md, by all queues
  --filter REGEX   what matches, of names like churn/rpc/1000

  --compare REV    builds that revision as well, measures it side by side with what is here, and
                   prints what differs; the status is that of compare.py. A bench that it lacks is
                   not compared. Figures go into DIR/before and DIR/after, where DIR is
                   results/local/compared_with_COMMIT by default. It makes two builds, and takes
                   twice as long.
END
}

refuse() {
  echo "bench.sh: $1" >&2
  usage >&2
  exit 2
}

refuse_value() {
  echo "bench.sh: $1" >&2
  exit 2
}

# Makes a path absolute: a relative path begins in the caller's folder.
as_of_caller() { (cd "$caller" && realpath --canonicalize-missing -- "$1"); }

profile=""
output=""
revision=""
filter=""
selection=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit ;;
    --quick | --full)
      [[ -z $profile || $profile == "$1" ]] || refuse "$profile and $1 exclude each other"
      profile=$1
      shift
      continue
      ;;
    --output)
      [[ -n ${2-} && $2 != -* ]] || refuse "--output needs a directory"
      output=$(as_of_caller "$2")
      [[ -d $output || ! -e $output ]] || refuse "--output '$output' is no directory"
      ;;
    --queue | --filter)
      [[ -n ${2-} && $2 != -* ]] || refuse "$1 needs a value"
      if [[ $1 == --filter ]]; then filter=$2; else selection+=("$1" "$2"); fi
      ;;
    --trace)
      [[ -n ${2-} && $2 != -* ]] || refuse "--trace needs a file"
      selection+=(--trace "$(as_of_caller "$2")")
      ;;
    --compare)
      [[ -n ${2-} && $2 != -* ]] || refuse "--compare needs a revision"
      revision=$2
      ;;
    *) refuse "unknown argument '$1'" ;;
  esac
  shift 2
done
profile=${profile:---quick}

if [[ -n $revision ]]; then
  commit=$(git rev-parse --verify --quiet --end-of-options "$revision^{commit}") ||
    refuse_value "--compare '$revision' is no commit of this repository; git log shows what there is"
  output=${output:-$PWD/results/local/compared_with_${commit:0:12}}
fi
output=${output:-$PWD/results/local}

# The scripts that measure and draw say by themselves that they were interrupted; the steps before them
# do not.
say_interrupted() {
  trap 'echo "bench.sh: interrupted; the same command goes on from here" >&2; exit 130' INT
}

# The revision is checked out into this folder while it is built and measured: its programs read its
# recordings. The folder is always the same, or ccache would not recognize its files.
source=$PWD/build/compare/source

check_out() {
  mkdir -p build/compare
  exec 8>build/compare/lock
  flock --nonblock 8 || refuse_value "another run compares two revisions here; wait for its end"
  remove_source
  say_interrupted
  trap remove_source EXIT
  git worktree add --quiet --detach "$source" "$commit"
  local bench both=()
  for bench in "${benches[@]}"; do
    if compgen -G "$source/benches/*/$bench.cpp" >/dev/null; then
      both+=("$bench")
    else
      echo "bench.sh: '$bench' is not compared, as ${commit:0:12} lacks it"
    fi
  done
  [[ ${#both[@]} -gt 0 ]] ||
    refuse_value "--compare '$revision' has none of these benches; choose others by --filter"
  benches=("${both[@]}")
}

remove_source() {
  trap '' INT  # the rest is short
  [[ ! -e $source ]] || git worktree remove --force "$source" 2>/dev/null || rm -rf "$source"
  git worktree prune
}

build() { # DIRECTORY
  echo "bench.sh: building $1"
  (
    cd "$1"
    cmake --preset release >/dev/null
    cmake --build --preset release --parallel "$(nproc)" --target "${benches[@]}"
  )
}

say_interrupted
./scripts/setup.sh measure
python=.venv/bin/python
listed=$($python scripts/run.py --list "$profile" --filter "$filter" "${selection[@]}") || exit
mapfile -t benches <<<"$listed"
if [[ -n $revision ]]; then
  check_out
  build "$source"
fi
build "$PWD"
trap - INT

# Status 1 says that a cell failed: the others are shown all the same.
status=0
if [[ -n $revision ]]; then
  before=$output/before after=$output/after
  # Of other benches the folders may have figures of former code.
  wanted=(--filter "$filter" "${benches[@]/#/--bench=}")
  echo "bench.sh: figures of ${commit:0:12} go into $before, and those of what is here into $after"
  $python scripts/run.py "$profile" "${wanted[@]}" "${selection[@]}" \
    --build "$source/build/release" --output "$before" \
    --build build/release --output "$after" || status=$?
  [[ $status -le 1 ]] || exit "$status"
  compared=0
  $python scripts/compare.py "$before" "$after" "${wanted[@]}" || compared=$?
  [[ $compared -le 2 ]] || exit "$compared"
  [[ $status -eq 0 ]] || exit 1  # a failed cell is worse, though compare.py does not see it
  exit "$compared"
fi
$python scripts/run.py "$profile" --filter "$filter" "${selection[@]}" --output "$output" || status=$?
[[ $status -le 1 ]] || exit "$status"
$python scripts/plot.py "$output"
$python scripts/report.py "$output"
$python scripts/summary.py "$output"
exit "$status"

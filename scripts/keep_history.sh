#!/usr/bin/env bash
# Keeps the figures of the last commits, and shows them side by side.
set -euo pipefail

usage() {
  cat <<'END'
Usage: scripts/keep_history.sh HISTORY FIGURES MOST

Copies FIGURES, a directory of results, into the folder HISTORY, and keeps only the newest MOST there.
If there are two or more, history.py shows them side by side. If GITHUB_SHA is set, the name of the copy
ends with that commit.
END
}

refuse() {
  echo "keep_history.sh: $1" >&2
  exit 2
}

if [[ ${1-} == -h || ${1-} == --help ]]; then
  usage
  exit
fi
[[ $# -eq 3 ]] || refuse "it takes HISTORY, FIGURES and MOST, not $# words"
history=$1 figures=$2 most=$3
[[ -f $figures/context.json ]] || refuse "'$figures' is no directory of results"
[[ $most =~ ^[1-9][0-9]*$ ]] || refuse "'$most' is no number of commits"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mkdir -p "$history"
# The names begin with times, so the newest is the last in order. They end with the commit of the
# project. The figures do not name it: they name the commit of the harness.
name=$(date -u +%Y%m%dT%H%M%S.%N)${GITHUB_SHA:+-${GITHUB_SHA:0:12}}
rm -rf "$history"/*.part  # of a copy that was interrupted
cp -r "$figures" "$history/$name.part"
mv "$history/$name.part" "$history/$name"
kept=("$history"/*/)
for old in "${kept[@]:0:$((${#kept[@]} > most ? ${#kept[@]} - most : 0))}"; do rm -rf "$old"; done
kept=("$history"/*/)
if [[ ${#kept[@]} -lt 2 ]]; then
  echo "one commit is kept; the next one is shown beside it"
  exit
fi
"$here/../.venv/bin/python" "$here/history.py" "${kept[@]}" ||
  echo "what is kept cannot be shown side by side"  # for example, results of an older format

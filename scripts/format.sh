#!/usr/bin/env bash
# Formats all C++ and Python of the project.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/format.sh [--check]

Sets up, and formats all C++ and Python of the project.

  --check   changes nothing, and fails if something is not formatted
END
}

refuse() {
  echo "format.sh: $1" >&2
  usage >&2
  exit 2
}

cpp=(-i) python=(format)
for argument in "$@"; do
  case $argument in
    -h | --help) usage; exit ;;
    --check) cpp=(--dry-run -Werror) python=(format --check) ;;
    *) refuse "unknown argument '$argument'" ;;
  esac
done

./scripts/setup.sh
git ls-files -z --cached --others --exclude-standard '*.cpp' '*.hpp' |
  xargs -0 .venv/bin/clang-format "${cpp[@]}"
.venv/bin/ruff "${python[@]}" --quiet .

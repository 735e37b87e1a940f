#!/usr/bin/env bash
# Formats all C++ and Python of the project; with --check it only says what is not formatted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1-}" in
  "") cpp=(-i) python=(format) ;;
  --check) cpp=(--dry-run -Werror) python=(format --check) ;;
  *) echo "Usage: scripts/format.sh [--check], not '$1'" >&2; exit 2 ;;
esac

./scripts/setup.sh
git ls-files -z --cached --others --exclude-standard '*.cpp' '*.hpp' |
  xargs -0 .venv/bin/clang-format "${cpp[@]}"
.venv/bin/ruff "${python[@]}" --quiet .

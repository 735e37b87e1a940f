#!/usr/bin/env bash
# Sets up and builds: scripts/build.sh [PRESET [TARGET...]]; the preset is release, the targets all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1-release}
./scripts/setup.sh
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --parallel "$(nproc)" ${2+--target "${@:2}"}

#!/usr/bin/env bash
# Sets up and builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Reads the names of the presets from the file: CMake could list them, but may not be installed yet.
mapfile -t presets < <(
  sed -n '/"buildPresets"/,/]/ s/.*{"name": "\([^"]*\)".*/\1/p' CMakePresets.json)

usage() {
  cat <<END
Usage: scripts/build.sh [PRESET [TARGET...]]

Sets up, and builds into build/PRESET, on all cores. The default is all targets of release.

Presets: ${presets[*]}
END
}

preset=${1-release}
[[ $preset != -h && $preset != --help ]] || { usage; exit; }
known=no
for one in "${presets[@]}"; do
  [[ $one != "$preset" ]] || known=yes
done
if [[ $known == no ]]; then
  echo "build.sh: there is no preset '$preset'" >&2
  usage >&2
  exit 2
fi

case $preset in
  *-clang) ./scripts/setup.sh test clang ;;
  aarch64 | s390x) ./scripts/setup.sh test --other-machines ;;
  *) ./scripts/setup.sh test ;;
esac
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --parallel "$(nproc)" ${2+--target "${@:2}"}

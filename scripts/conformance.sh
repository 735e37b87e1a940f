#!/usr/bin/env bash
# Tests a project of yours with Timerbench's kits.
set -euo pipefail

usage() {
  cat <<'END'
Usage: scripts/conformance.sh [--build FOLDER] PROJECT [OPTION...]

Sets up, installs the headers and the kits, builds your project PROJECT with them, and runs its
tests. PROJECT is a folder with a CMakeLists.txt that finds the package timerbench. CMake gets the
options, such as -DCMAKE_CXX_COMPILER=clang++.

  --build FOLDER   builds there instead of in PROJECT/build/timerbench
END
}

refuse() {
  echo "conformance.sh: $1" >&2
  usage >&2
  exit 2
}

build=""
while [[ ${1-} == -* ]]; do
  case $1 in
    -h | --help) usage; exit ;;
    --build)
      [[ -n ${2-} && $2 != -* ]] || refuse "--build needs a folder"
      build=$2
      shift 2
      ;;
    *) refuse "unknown argument '$1'" ;;
  esac
done
[[ $# -gt 0 ]] || refuse "it needs the folder of your project"
project=$1
shift
[[ -f $project/CMakeLists.txt ]] || refuse "'$project' has no CMakeLists.txt"
build=${build:-$project/build/timerbench}

trap 'echo "conformance.sh: interrupted" >&2; exit 130' INT
timerbench=$(dirname "${BASH_SOURCE[0]}")/..
"$timerbench/scripts/setup.sh" test
export CMAKE_GENERATOR=Ninja
mkdir -p "$build"
build=$(cd "$build" && pwd)
cmake -S "$timerbench" -B "$build/kits" -DTIMERBENCH_DEVELOP=OFF
cmake --install "$build/kits" --prefix "$build/kits/installed"
# The options of the user may have a CMAKE_PREFIX_PATH of their own. CMake searches both.
export CMAKE_PREFIX_PATH=$build/kits/installed${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
cmake -S "$project" -B "$build" "$@"
cmake --build "$build" --parallel "$(nproc)"
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --no-tests=error

#!/usr/bin/env bash
# Sets up, builds and runs all tests of C++. The last line says how many there were.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/test.sh [--preset PRESET]

Sets up, builds and runs all tests of C++, on all cores.

  --preset PRESET   release (the default), debug (AddressSanitizer and UndefinedBehaviorSanitizer)
                    or tsan (ThreadSanitizer), by gcc; release-clang, debug-clang, tsan-clang
END
}

refuse() {
  echo "test.sh: $1" >&2
  usage >&2
  exit 2
}

preset=release
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit ;;
    --preset)
      [[ $# -gt 1 ]] || refuse "--preset needs a name"
      preset=$2
      shift 2
      ;;
    *) refuse "unknown argument '$1'" ;;
  esac
done
case $preset in
  release | debug | tsan | release-clang | debug-clang | tsan-clang) ;;
  *) refuse "there is no preset '$preset'" ;;
esac

trap 'echo "test.sh: interrupted" >&2; exit 130' INT
./scripts/build.sh "$preset" tests
results=$PWD/build/test-results/$preset.xml
rm -f "$results"
status=0
# Some tests only wait. Four tests at a time for each core keep the cores busy.
ctest --preset "$preset" --parallel $((4 * $(nproc))) --output-junit "$results" || status=$?
python3 scripts/count_tests.py "$results"
exit "$status"

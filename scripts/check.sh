#!/usr/bin/env bash
# Checks everything that must hold before a commit, except the tests of release, which test.sh runs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

steps=(format spelling shell python gcc sanitizers tidy threads scripts site instructions benches)
when_named=(other_machines)

run_step() {
  case $1 in
    format) ./scripts/format.sh --check ;;
    spelling) git ls-files -z | xargs -0 .venv/bin/codespell ;;
    shell) shellcheck scripts/*.sh .ci/run ;;
    python)
      .venv/bin/ruff check --quiet --output-format concise .
      .venv/bin/python -m mypy
      ;;
    gcc) ./scripts/build.sh release ;;
    sanitizers) ./scripts/test.sh --preset debug-clang ;;
    tidy)
      ./scripts/build.sh debug-clang tests  # makes the precompiled and the generated headers
      .venv/bin/python scripts/tidy.py ${TIDY_BASE:+--base "$TIDY_BASE"}
      ;;
    threads)
      ./scripts/build.sh tsan-clang service_tests
      ctest --preset tsan-clang --parallel $((3 * $(nproc))) --tests-regex '^service_tests' \
        --output-junit "$PWD/build/test-results/tsan.xml"
      ;;
    scripts)
      ./scripts/build.sh release timers_replay timers_recorder
      TIMERS_REPLAY=$PWD/build/release/timers_replay \
        .venv/bin/python -m pytest --quiet --numprocesses "$(nproc)" --dist loadfile \
        --junitxml build/test-results/scripts.xml
      ;;
    site) ./scripts/site.sh ;;
    instructions)
      ./scripts/build.sh release simulated
      .venv/bin/python scripts/simulate.py
      ;;
    benches)
      ./scripts/build.sh release
      rm -rf build/smoke  # otherwise run.py skips what it measured before
      .venv/bin/python scripts/run.py --smoke --output build/smoke
      for program in load load_use service_load; do
        "build/release/$program" --load=tests/benches/small_load.json --seconds=0 \
          --benchmark_filter='^load|/heap_timer/' >/dev/null
      done
      ;;
    other_machines)
      ./scripts/build.sh aarch64 queue_tests service_tests
      ctest --preset aarch64 --parallel "$(nproc)"
      ./scripts/build.sh s390x unit_tests
      ctest --preset s390x --parallel "$(nproc)"
      ;;
  esac
}

usage() {
  cat <<'END'
Usage: scripts/check.sh [STEP...]

Checks the project, by all steps but the last, or by those named:

  format        all C++ and Python is formatted (scripts/format.sh does it)
  spelling      codespell finds no misspelt word
  shell         shellcheck
  python        ruff and mypy
  gcc           gcc builds everything without a warning
  sanitizers    clang builds the tests without a warning, and they pass under AddressSanitizer and
                UndefinedBehaviorSanitizer
  tidy          clang-tidy finds nothing; it does not read the sources of tests. It sees clang's
                warnings of the benches, too. With TIDY_BASE=COMMIT it reads only what differs from
                that commit
  threads       the tests of the services pass under ThreadSanitizer
  scripts       the tests of the scripts pass
  site          the site can be made: each link leads somewhere, and Doxygen has no warning
  instructions  operations take as many instructions as before, counted under valgrind
  benches       each benchmark runs once without an error

  other_machines  the kits pass on aarch64, and the recordings are the same on s390x, under qemu; on
                  Debian 12, in 20 minutes
END
}

for step in "$@"; do
  [[ $step != -h && $step != --help ]] || { usage; exit; }
  known=no
  for one in "${steps[@]}" "${when_named[@]}"; do
    [[ $one != "$step" ]] || known=yes
  done
  if [[ $known == no ]]; then
    echo "check.sh: there is no step '$step'" >&2
    usage >&2
    exit 2
  fi
done
[[ $# -eq 0 ]] || steps=("$@")

# An interrupted step must not count as a failed step, or the next step would run.
trap 'echo "check.sh: interrupted" >&2; exit 130' INT
./scripts/setup.sh
failed=0
summary=""
for step in "${steps[@]}"; do
  printf '\n=== %s\n' "$step"
  started=$SECONDS
  # The step runs in a shell of its own, because set -e is off inside a condition.
  set +e
  (set -e; run_step "$step")
  status=$?
  set -e
  verdict=ok
  [[ $status -eq 0 ]] || { verdict=FAILED; failed=1; }
  summary+=$(printf '%-12s %-6s %4d s' "$step" "$verdict" $((SECONDS - started)))$'\n'
done
printf '\n%s' "$summary"
exit "$failed"

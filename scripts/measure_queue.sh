#!/usr/bin/env bash
# Measures the queues of a project of yours, and compares them with an earlier commit of it.
set -Eeuo pipefail
trap 'exit 3' ERR  # 1 says that something is slower
caller=$PWD

usage() {
  cat <<'END'
Usage: scripts/measure_queue.sh PROJECT [--compare REV] [HOW...] [-- OPTION...]

Sets up, builds and installs the harness, builds your project with it, and measures. PROJECT is a
folder of a git repository, with a CMakeLists.txt that finds the component measure of the package
timerbench. Its programs have the names of benches, such as churn: what each of them offers is
measured. If it has a program simulated, too, instructions are counted and compared with those of
the base. CMake gets the options behind --, such as -DCMAKE_CXX_COMPILER=clang++.

  --compare REV    builds that revision of your repository as well, measures both alternately, and
                   says what differs. A program that it lacks is not compared. The status: 0 nothing
                   is slower; 1 something is slower, takes more instructions, or failed; 2 that
                   cannot be told; 3 it could not be measured
  --quick, --full  minutes, which is the default; or every size, and longer
  --output DIR     where figures go; PROJECT/build/measured by default; with --compare they go into
                   DIR/before and DIR/after
  --filter REGEX   only what matches, of names like churn/rpc/1000
  --queue NAME     only this queue; several may be given
END
}

refuse() {
  echo "measure_queue.sh: $1" >&2
  exit 3
}

# Makes a path absolute: a relative path begins in the caller's folder.
as_of_caller() { (cd "$caller" && realpath --canonicalize-missing -- "$1"); }

project=""
base=""
profile=--quick
output=""
filter=""
queues=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit ;;
    --quick | --full) profile=$1; shift ;;
    --compare | --output | --filter | --queue)
      [[ -n ${2-} && $2 != -* ]] || refuse "$1 needs a value"
      case $1 in
        --compare) base=$2 ;;
        --output)
          output=$(as_of_caller "$2")
          [[ -d $output || ! -e $output ]] || refuse "--output '$output' is no directory"
          ;;
        --filter) filter=$2 ;;
        --queue) queues+=(--queue "$2") ;;
      esac
      shift 2
      ;;
    --) shift; break ;;
    -*) refuse "unknown argument '$1'; --help says what there is" ;;
    *)
      [[ -z $project ]] || refuse "it takes one project, not '$project' and '$1'"
      project=$1
      shift
      ;;
  esac
done
options=("$@")
timerbench=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ -n $project ]] || refuse "it needs the folder of your project"
[[ -f $project/CMakeLists.txt ]] || refuse "'$project' has no CMakeLists.txt"
project=$(cd "$project" && pwd)
output=${output:-$project/build/measured}
work=$project/build/timerbench_measure
if [[ -n $base ]]; then
  repository=$(git -C "$project" rev-parse --show-toplevel 2>/dev/null) ||
    refuse "--compare needs a git repository, and '$project' is in none"
  commit=$(git -C "$project" rev-parse --verify --quiet --end-of-options "$base^{commit}") ||
    refuse "--compare '$base' is no commit of $repository; git log shows what there is"
fi

mkdir -p "$work" "$output"
exec 8>"$work/lock"
flock --nonblock 8 || refuse "another run measures '$project'; wait for its end"
trap 'echo "measure_queue.sh: interrupted; the same command goes on from here" >&2; exit 130' INT
cd "$timerbench"
./scripts/setup.sh measure
python=$timerbench/.venv/bin/python
# What cannot be selected is refused before anything is built.
listed=$("$python" scripts/run.py --list "$profile" --filter "$filter" "${queues[@]}")
./scripts/build.sh release bench_harness
installed=$work/installed
cmake --install build/release --prefix "$installed" >/dev/null
cmake --install build/release --prefix "$installed" --component measure >/dev/null
# The options of the user may have a CMAKE_PREFIX_PATH of their own. CMake searches both.
export CMAKE_PREFIX_PATH=$installed${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}

# Builds in an empty folder: a former build has options, and perhaps programs, that this one lacks.
build() { # SOURCE BUILD
  echo "measure_queue.sh: building $1"
  rm -rf "$2"
  cmake -G Ninja -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_RUNTIME_OUTPUT_DIRECTORY=$2" \
    "${options[@]}" >/dev/null
  cmake --build "$2" --parallel "$(nproc)"
} 8>&-  # otherwise a server that the compiler starts, such as sccache, keeps the lock

# Prints the benches of which this build has a program. Only those that were listed count.
benches_in() { # BUILD
  local bench
  for bench in $listed; do
    [[ ! -x $1/$bench || -d $1/$bench ]] || echo "$bench"
  done
}

build "$project" "$work/after"
mapfile -t benches < <(benches_in "$work/after")
[[ ${#benches[@]} -gt 0 ]] ||
  refuse "'$project' builds no program that $profile${filter:+ --filter $filter} measures; programs \
have the names of benches, such as ${listed%%$'\n'*}"
measured=(--build "$work/after" --output "$output")
if [[ -n $base ]]; then
  source=$work/source
  remove_source() {
    git -C "$repository" worktree remove --force "$source" 2>/dev/null || rm -rf "$source"
    git -C "$repository" worktree prune
  }
  remove_source
  trap remove_source EXIT
  git -C "$repository" worktree add --quiet --detach "$source" "$commit"
  there=$source/$(realpath --relative-to="$repository" "$project")
  [[ -f $there/CMakeLists.txt ]] || refuse "'$project' has no CMakeLists.txt in ${commit:0:12}"
  build "$there" "$work/before"
  both=()
  for bench in "${benches[@]}"; do
    if [[ -f $work/before/$bench ]]; then
      both+=("$bench")
    else
      echo "measure_queue.sh: '$bench' is not compared, as ${commit:0:12} lacks it"
    fi
  done
  [[ ${#both[@]} -gt 0 ]] ||
    refuse "--compare '$base' has none of the programs ${benches[*]}; give a commit that has one"
  benches=("${both[@]}")
  measured=(
    --build "$work/before" --output "$output/before" --build "$work/after" --output "$output/after"
  )
fi
wanted=(--filter "$filter" "${benches[@]/#/--bench=}")

# Counts instructions: other programs on the machine cannot change these counts.
counted=0
if [[ -n $base && -x $work/before/simulated && -x $work/after/simulated ]]; then
  "$python" scripts/compare_counts.py "$work/before" "$work/after" \
    ${filter:+--filter "$filter"} "${queues[@]}" || counted=$?
  # What is timed need not be counted, too.
  [[ $counted -ne 3 ]] || counted=0
  [[ $counted -le 1 ]] || exit 3
fi

# Status 1 says that a cell failed: the others are compared all the same.
status=0
"$python" scripts/run.py "$profile" "${wanted[@]}" "${queues[@]}" \
  "${measured[@]}" || status=$?
[[ $status -le 1 || $status -eq 130 ]] || exit 3
[[ $status -ne 130 && -n $base ]] || exit "$status"
compared=0
# Of other benches the folders may have figures of former code.
"$python" scripts/compare.py "$output/before" "$output/after" "${wanted[@]}" || compared=$?
[[ $compared -le 2 ]] || exit "$compared"
# A failed cell is worse, and more instructions are worse, even if no time is.
[[ $status -eq 0 && $counted -eq 0 ]] || exit 1
exit "$compared"

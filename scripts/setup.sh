#!/usr/bin/env bash
# Installs what Timerbench needs, and only what is missing: packages of the system by apt, Python
# packages into .venv. Run it as often as you like; with nothing to do it is done at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/setup.sh [--peers]

Installs compilers, tools and libraries with apt (Debian 12, Ubuntu 24.04; sudo when not root),
and the Python packages of scripts/requirements.txt into .venv. On Debian also Chromium, in which
tests/scripts/report_test.py opens the report; Ubuntu has it only as a snap, so there it is left to you.

  --peers                  installs also the libraries whose timers stand beside ours where the
                           build finds them: ACE, libuv, libevent, libev
  SKIP_SYSTEM_PACKAGES=1   installs only the Python packages, for systems without apt
END
}

peers=()
for argument in "$@"; do
  case "$argument" in
    --peers) peers=(libace-dev libuv1-dev libevent-dev libev-dev) ;;
    -h | --help) usage; exit ;;
    *) echo "setup.sh: unknown argument '$argument'; it takes --peers and --help" >&2; exit 2 ;;
  esac
done

packages=(
  g++ clang clang-tidy cmake ninja-build ccache pkg-config
  libclang-rt-dev llvm                                        # clang's sanitizers, their symbolizer
  libbenchmark-dev libgtest-dev libgmock-dev
  libboost-dev libcli11-dev libfmt-dev nlohmann-json3-dev libzstd-dev zlib1g-dev
  python3 python3-venv git patch zstd shellcheck valgrind
  "${peers[@]}"
)
browser=(chromium chromium-driver)  # a test opens the report in it

install_system_packages() {
  local system missing as_root=()
  # shellcheck source=/dev/null
  system=$(. /etc/os-release 2>/dev/null && echo "${ID-} ${VERSION_ID-}") || system=""
  if [[ $system != "debian 12" && $system != "ubuntu 24.04" ]]; then
    cat >&2 <<END
setup.sh: this system is '${system:-unknown}'; packages are installed on Debian 12 and Ubuntu 24.04 only.
Elsewhere install these by hand (Debian's names), then set SKIP_SYSTEM_PACKAGES=1:
  ${packages[*]} ${browser[*]}
Known to work: gcc 12.2, clang 14.0.6, CMake 3.25, Ninja 1.11, Google Benchmark 1.7.1, GoogleTest
1.12.1, Boost 1.74, CLI11 2.1, fmt 9.1, nlohmann-json 3.11, zstd 1.5, zlib 1.2, Python 3.11.
END
    exit 1
  fi
  if [[ $system == debian* ]]; then
    packages+=("${browser[@]}")
  elif ! command -v chromedriver >/dev/null; then
    echo "setup.sh: tests/scripts/report_test.py will fail: Ubuntu has chromium only as a snap, which is not" \
      "installed here; install Chromium or Chrome with its chromedriver by hand" >&2
  fi

  # dpkg-query fails on a package that it does not know; what it does not call installed is missing.
  mapfile -t missing < <(comm -23 <(printf '%s\n' "${packages[@]}" | sort) <(
    dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u))
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || {
      echo "setup.sh: neither root nor sudo; as root, install: ${missing[*]}" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  echo "setup.sh: installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null
}

find_python() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
  echo "setup.sh: no python3 of version 3.11 or later" >&2
  return 1
}

# The stamp is written last: without it the environment is half made, and is made anew.
install_python_packages() {
  local python wanted stamp=.venv/stamp
  exec 9<scripts/requirements.txt
  flock 9
  python=$(find_python)
  wanted=$({ cat scripts/requirements.txt; readlink -f "$python"; pwd; } | sha256sum)
  [[ $(cat "$stamp" 2>/dev/null) != "$wanted" ]] || return 0

  echo "setup.sh: making .venv"
  trap '[[ -e .venv/stamp ]] || rm -rf .venv' EXIT
  rm -rf .venv
  "$python" -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --requirement scripts/requirements.txt
  echo "$wanted" >"$stamp"
}

[[ -n ${SKIP_SYSTEM_PACKAGES-} ]] || install_system_packages
install_python_packages

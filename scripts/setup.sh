#!/usr/bin/env bash
# Installs what Timerbench needs, and only what is missing: packages of the system by apt, Python
# packages into .venv. Run it as often as you like: if nothing is missing, it ends at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/setup.sh [PROFILE...] [--peers] [--originals] [--other-machines]

Installs what a profile needs: packages by apt (Debian 12, Ubuntu 24.04; by sudo when not root), and
Python packages into .venv. The commands ask for their profiles by themselves.

  measure   build the benches, measure, draw charts: what bench.sh needs
  test      build and run the tests by gcc: what test.sh needs
  clang     the same by clang, and clang's sanitizers: what test.sh --preset ...-clang needs
  site      make the site: what site.sh needs
  check     all of these, linters, and on Debian Chromium, in which tests open the report: what
            check.sh needs, and what you want to have if you work on Timerbench; the default

  --peers                  installs also the libraries whose timers stand beside ours where the
                           build finds them: ACE, libuv, libevent, libev
  --originals              installs also Java, Maven and Go, and fetches the timers of Netty and
                           Kafka: the build then makes programs that measure them and those of the
                           JDK and of Go beside our services, and tests ask the originals, too
  --other-machines         installs also compilers for aarch64 and s390x, and qemu, which runs their
                           programs; puts libraries of these machines into build/sysroots. On
                           Debian 12 only
  SKIP_SYSTEM_PACKAGES=1   installs only the Python packages, for systems without apt
END
}

refuse() {
  echo "setup.sh: $1" >&2
  exit 2
}

profiles=()
packages=()
originals=no
other_machines=()
for argument in "$@"; do
  case $argument in
    measure | test | clang | site | check) profiles+=("$argument") ;;
    --peers) packages+=(libace-dev libuv1-dev libevent-dev libev-dev) ;;
    --originals)
      originals=yes
      packages+=(openjdk-17-jdk-headless maven)
      command -v go >/dev/null || packages+=(golang-go)
      ;;
    --other-machines)
      other_machines=(aarch64 s390x)
      packages+=(g++-aarch64-linux-gnu g++-s390x-linux-gnu qemu-user)
      ;;
    -h | --help) usage; exit ;;
    *)
      refuse "unknown argument '$argument'; it takes measure, test, clang, site, check, --peers, \
--originals, --other-machines and --help"
      ;;
  esac
done
[[ ${#profiles[@]} -gt 0 ]] || profiles=(check)

# Succeeds if a profile was asked for; check includes all profiles.
wants() { [[ " ${profiles[*]} " == *" $1 "* || " ${profiles[*]} " == *" check "* ]]; }

packages+=(
  g++ cmake ninja-build ccache pkg-config git python3
  libbenchmark-dev libboost-dev libcli11-dev libfmt-dev libzstd-dev nlohmann-json3-dev valgrind zlib1g-dev
)
if wants measure || wants site; then packages+=(python3-venv); fi
if wants site; then packages+=(doxygen); fi
if wants test || wants clang; then packages+=(libgtest-dev libgmock-dev patch); fi
if wants clang; then packages+=(clang libclang-rt-dev llvm); fi  # llvm symbolizes for sanitizers
if wants check; then packages+=(clang-tidy shellcheck zstd); fi

# Adds Chromium to the packages. On Ubuntu it is only a snap, which this script does not install.
add_browser() {
  if [[ $1 == debian* ]]; then
    packages+=(chromium chromium-driver)
  elif ! command -v chromedriver >/dev/null; then
    echo "setup.sh: tests/scripts/report_test.py will fail: install Chromium or Chrome with its" \
      "chromedriver by hand" >&2
  fi
}

# Adds the libraries that the tests of scripts/record.py run with; their headers are not needed. On
# Ubuntu these packages have other names.
add_libraries_to_record() {
  local suffix=""
  [[ $1 != ubuntu* ]] || suffix=t64
  packages+=("libev4$suffix" "libevent-2.1-7$suffix" "libuv1$suffix")
}

# The name and the version of the system; empty if the system does not say them.
# shellcheck source=/dev/null
system=$(. /etc/os-release 2>/dev/null && echo "${ID-} ${VERSION_ID-}") || system=""

install_system_packages() {
  local missing as_root=()
  if wants check; then
    add_browser "$system"
    add_libraries_to_record "$system"
  fi
  if [[ $system != "debian 12" && $system != "ubuntu 24.04" ]]; then
    cat >&2 <<END
setup.sh: this system is '${system:-unknown}'; packages are installed on Debian 12 and Ubuntu 24.04 only.
Elsewhere install these by hand (Debian's names), then set SKIP_SYSTEM_PACKAGES=1:
  ${packages[*]}
Known to work: gcc 12.2, clang 14.0.6, CMake 3.25, Ninja 1.11, Google Benchmark 1.7.1, GoogleTest
1.12.1, Boost 1.74, CLI11 2.1, fmt 9.1, nlohmann-json 3.11, zstd 1.5, zlib 1.2, Python 3.11.
END
    exit 1
  fi

  # dpkg-query fails on a package that it does not know. A package that it does not list as installed is
  # missing.
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

# Installs the packages of these files into .venv, if they are not there yet. Each stamp is written
# after the step that it stands for. An environment without the stamp made_by is incomplete, and is made
# anew.
install_python_packages() {
  local python made_by file stamp
  exec 9<scripts/requirements.txt
  flock 9
  python=$(find_python)
  made_by=$({ readlink -f "$python"; pwd; } | sha256sum)
  if [[ $(cat .venv/made_by 2>/dev/null) != "$made_by" ]]; then
    echo "setup.sh: making .venv"
    rm -rf .venv
    "$python" -m venv .venv
    echo "$made_by" >.venv/made_by
  fi
  for file in "$@"; do
    stamp=.venv/${file%.txt}.sha256
    sha256sum --check --status "$stamp" 2>/dev/null && continue
    echo "setup.sh: installing the packages of scripts/$file into .venv"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check \
      --requirement "scripts/$file"
    sha256sum "scripts/$file" >"$stamp"
  done
}

originals_are_fetched() {
  local hashes=$PWD/benches/originals/jars.sha256
  (cd build/originals 2>/dev/null && sha256sum --check --strict --status "$hashes")
}

fetch_originals() {
  ! originals_are_fetched || return 0
  echo "setup.sh: fetching the originals into build/originals"
  rm -rf build/originals
  mvn --batch-mode --quiet --strict-checksums --file benches/originals/pom.xml \
    dependency:copy-dependencies
  originals_are_fetched || {
    rm -rf build/originals
    echo "setup.sh: what Maven fetched is not what benches/originals/jars.sha256 says" >&2
    exit 1
  }
}

# The packages that programs of another machine need to compile and to run.
libraries=(
  libbenchmark-dev libbenchmark1debian libboost1.74-dev libc6 libc6-dev libcli11-dev libcrypt-dev
  libfmt-dev libfmt9 libgcc-s1 libgmock-dev libgtest-dev libstdc++6 libzstd-dev libzstd1
  linux-libc-dev googletest nlohmann-json3-dev valgrind zlib1g zlib1g-dev
)

# Puts the libraries of a machine into build/sysroots/MACHINE. Apt is told that it runs on that machine,
# and that nothing is installed there. So nothing changes on this machine. The folder gets its name only
# when it is complete.
fetch_sysroot() {
  local machine=$1 root=$PWD/build/sysroots/$1 work package
  local stamp=${libraries[*]}
  [[ $(cat "$root/made_of" 2>/dev/null) != "$stamp" ]] || return 0
  if [[ $system != "debian 12" ]]; then
    echo "setup.sh: libraries of other machines are fetched on Debian 12 only" >&2
    exit 1
  fi
  echo "setup.sh: fetching libraries for $machine into build/sysroots/$machine"
  rm -rf "$root" "$root".??????
  mkdir -p build/sysroots
  work=$(mktemp -d "$root.XXXXXX")
  mkdir -p "$work"/{apt/lists/partial,cache/archives/partial,packages,root}
  touch "$work/apt/status"
  local apt=(
    apt-get -qq -o APT::Architecture="${machine/aarch64/arm64}"
    -o APT::Architectures="${machine/aarch64/arm64}" -o Dir::State="$work/apt"
    -o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=
  )
  "${apt[@]}" update
  (cd "$work/packages" && "${apt[@]}" download "${libraries[@]}")
  for package in "$work"/packages/*.deb; do dpkg-deb --extract "$package" "$work/root"; done
  echo "$stamp" >"$work/root/made_of"
  chmod 755 "$work/root"
  mv "$work/root" "$root"
  rm -rf "$work"
}

[[ -n ${SKIP_SYSTEM_PACKAGES-} ]] || install_system_packages
for machine in "${other_machines[@]}"; do fetch_sysroot "$machine"; done
[[ $originals == no ]] || fetch_originals
if wants check; then
  install_python_packages requirements.txt requirements-check.txt
elif wants measure || wants site; then
  install_python_packages requirements.txt
fi

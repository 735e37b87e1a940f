#!/usr/bin/env bash
# Makes the archive of a release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/release.sh [COMMIT]

Writes the headers and the kits of a commit (HEAD) into build/release-archive, as an archive that
CMake's FetchContent takes by its URL, and prints its name, its size and its checksum. On one
machine a commit always makes the same bytes.
END
}

refuse() {
  echo "release.sh: $1" >&2
  exit 2
}

if [[ ${1-} == -h || ${1-} == --help ]]; then
  usage
  exit
fi
[[ $# -le 1 ]] || refuse "it takes one commit, not $#"
commit=$(git rev-parse --verify --quiet --end-of-options "${1-HEAD}^{commit}") ||
  refuse "'${1-HEAD}' is no commit of this repository"
version=$(git show "$commit:CMakeLists.txt" | sed -n 's/^project(timerbench VERSION \([0-9.]*\).*/\1/p')
[[ -n $version ]] || refuse "the CMakeLists.txt of $commit names no version"

folder=build/release-archive
archive=$folder/timerbench-$version.tar.gz
mkdir -p "$folder"
trap 'rm -f "$archive.part"' EXIT
git archive --prefix="timerbench-$version/" "$commit" -- \
  CMakeLists.txt LICENSE README.md CHANGELOG.md CITATION.cff impls tests/conformance |
  gzip --no-name --best >"$archive.part"
mv "$archive.part" "$archive"
printf '%s: %s bytes, SHA256=%s\n' "$archive" "$(stat --format=%s "$archive")" \
  "$(sha256sum "$archive" | cut -d' ' -f1)"

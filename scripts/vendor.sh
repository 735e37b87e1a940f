#!/usr/bin/env bash
# Fetches the code of others that we keep in this repository: Plotly, which draws the charts of the
# report.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/vendor.sh [--check]

Fetches Plotly's basic bundle from the npm registry into scripts/timerbench/report/vendored, if it
has the checksum that stands in this script. To take another version, change the version and the
checksum here.

  --check   fetches nothing, and compares what is there with the checksum
END
}

package=plotly.js-basic-dist-min
version=4.1.1
file=plotly-basic.min.js
checksum=99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba
folder=scripts/timerbench/report/vendored

refuse() {
  echo "vendor.sh: $1" >&2
  exit "${2-2}"
}

# Succeeds if the file in this folder has the checksum of the version that we use.
is_ours() { echo "$checksum  $1/$file" | sha256sum --check --status 2>/dev/null; }

case ${1-} in
  -h | --help) usage && exit ;;
  --check)
    is_ours "$folder" || refuse "$folder/$file is not $package $version: its checksum differs" 1
    exit
    ;;
  "") ;;
  *) refuse "unknown argument '$1'; it takes --check and --help" ;;
esac
command -v npm >/dev/null || refuse "npm is missing; it comes with Node.js"

fetched=$(mktemp -d)
trap 'rm -rf "$fetched"' EXIT
npm pack --silent --pack-destination "$fetched" "$package@$version" >/dev/null ||
  refuse "npm cannot fetch $package $version" 1
archives=("$fetched"/*.tgz)
tar --extract --gzip --strip-components=1 --directory="$fetched" --file="${archives[0]}"
is_ours "$fetched" || refuse "what npm fetched as $package $version has another checksum" 1
mkdir -p "$folder"
cp "$fetched/$file" "$folder/$file"
cp "$fetched/LICENSE" "$folder/${file%.min.js}.LICENSE"

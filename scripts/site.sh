#!/usr/bin/env bash
# Makes a site of our pages, of the report and of the API.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/site.sh [RESULTS] [--source URL]

Installs what is missing, and makes a static site in build/site: our pages, the report of a directory
of results, and the API by Doxygen. It fails if a link leads nowhere, or if Doxygen warns.

  RESULTS       a directory of results; by default that of the findings, which has queues and services
  --source URL  where the files of the repository can be read, such as
                https://github.com/you/timerbench/blob/main; without it they are copied
END
}

refuse() {
  echo "site.sh: $1" >&2
  exit 2
}

results=""
source=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit ;;
    --source)
      [[ ${2-} =~ ^[a-z]+:// ]] || refuse "--source '${2-}' is no address, such as https://host/path"
      source=(--source "$2")
      shift 2
      ;;
    -*) refuse "unknown argument '$1'; it takes a directory of results, --source and --help" ;;
    *)
      [[ -z $results ]] || refuse "it takes one directory of results, not '$results' and '$1'"
      results=$(cd "$caller" && realpath --canonicalize-missing -- "$1")
      shift
      ;;
  esac
done
[[ -n $results ]] || results=results/$(sed -n 's/.*measured("\([^"]*\)").*/\1/p' results/pages/findings.md.jinja | head -n 1)
[[ -f $results/context.json ]] || refuse "'$results' is no directory of results"

./scripts/setup.sh site
site=build/site
rm -rf "$site"
mkdir -p "$site/api"
(cat scripts/timerbench/site/Doxyfile && echo "OUTPUT_DIRECTORY = $site/api") | doxygen -
.venv/bin/python scripts/make_site.py "$results" "$site" "${source[@]}"

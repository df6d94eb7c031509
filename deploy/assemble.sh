#!/bin/sh
# deploy/assemble.sh <vigil-….tgz> <package-lock.json> <folder>
# Assembles what runs, from a package that `npm pack` made and with the exact packages of the lock file, in a new folder. Vigil never
# writes there.
set -eu
[ $# -eq 3 ] || { echo "usage: deploy/assemble.sh <vigil-….tgz> <package-lock.json> <folder>" >&2; exit 2; }
[ ! -e "$3" ] || { echo "$3 is there already: name a folder that is not." >&2; exit 2; }
mkdir -p "$3"
tar -xzf "$1" -C "$3" --strip-components=1
cp "$2" "$3/package-lock.json"
cd "$3"
npm ci --omit=dev --ignore-scripts --no-audit --no-fund

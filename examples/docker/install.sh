#!/bin/sh
# Puts the built server and nothing else into a folder: packs what was built in this checkout, installs the packs with what they need to run.
# Usage: install.sh FOLDER (in the checkout, after `npm ci` and `npm run build`). Starts with FOLDER/node_modules/.bin/fossick.
set -eu
folder=$1
packs=$(mktemp -d)
trap 'rm -rf "$packs"' EXIT
set --
for room in packages/* apps/server apps/dashboard; do
  if [ -f "$room/package.json" ]; then set -- "$@" --workspace "$room"; fi
done
npm pack --silent --pack-destination "$packs" "$@" >/dev/null
mkdir -p "$folder"
cd "$folder"
printf '{ "private": true, "type": "module" }\n' >package.json
# no script of a package runs: what is native comes as prebuilt packages
npm install --omit=dev --ignore-scripts --no-audit --no-fund --no-save --silent "$packs"/*.tgz

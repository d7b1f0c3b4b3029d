#!/bin/sh
# Puts the built server and nothing else into a folder: packs what was built in this checkout (a bundle), installs it with the little that is not in it.
# Usage: install.sh FOLDER (in the checkout, after `npm ci` and `npm run build`). Starts with FOLDER/node_modules/.bin/fossick.
set -eu
folder=$1
packs=$(mktemp -d)
trap 'rm -rf "$packs"' EXIT
node tools/packages/pack.mjs "$packs" @fossick/server @fossick/dashboard >/dev/null
mkdir -p "$folder"
cd "$folder"
printf '{ "private": true, "type": "module" }\n' >package.json
# no script of a package runs: what is native comes as prebuilt packages
npm install --omit=dev --ignore-scripts --no-audit --no-fund --no-save --silent "$packs"/*.tgz

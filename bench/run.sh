#!/bin/bash
# Installs what is missing, builds the guests and runs the comparison; flags are handed
# on (see README.md). "run.sh test" runs the tests instead.
set -euo pipefail
cd "$(dirname "$0")"
./install.sh
./guests/build.sh

# wasmtime is used through its C API, whose headers are in the module that brings the
# library.
module=github.com/bytecodealliance/wasmtime-go/v39
go mod download "$module"
CGO_CFLAGS="-O2 -I$(go list -m -f '{{.Dir}}' "$module")/build/include"
export CGO_CFLAGS

if [ "${1-}" = test ]; then
    exec go test -tags wasmtime ./...
fi
go build -tags wasmtime -o out/bench ./cmd/bench
exec out/bench "$@"

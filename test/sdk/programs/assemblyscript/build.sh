#!/bin/sh
# Builds both forms of the program into DIR, or in place. Usage: ./build.sh [DIR]
# Run 'npm ci' first.
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"
cp ../../../../sdk/assemblyscript/index.ts wasmtool.ts # as an author does

asc() {
    node node_modules/assemblyscript/bin/asc.js --optimizeLevel 3 --shrinkLevel 1 --use abort=wasmtool/abort "$@"
}
asc command.ts --exportStart _start -o "$out/protocol.wasm"
asc reactor.ts --exportStart _initialize -o "$out/reactor/protocol_reactor.wasm"

#!/bin/sh
# Builds both forms of the canary into DIR, or in place. Usage: ./build.sh [DIR]
# 'npm ci' in guest-examples/title comes first.
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"

modules=../../../guest-examples/title/node_modules
asc() {
    node $modules/assemblyscript/bin/asc.js --optimizeLevel 3 --shrinkLevel 1 "$@"
}
asc command.ts --config $modules/@assemblyscript/wasi-shim/asconfig.json -o "$out/canary.wasm"
asc reactor.ts --use abort=wasmtool/abort --exportStart _initialize -o "$out/reactor/canary_reactor.wasm"

#!/bin/sh
# Builds both forms of the tool into DIR, or in place. Usage: ./build.sh [DIR]
# Run 'npm ci' first.
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"

sdk=../../sdk/assemblyscript/index
asc() {
    node node_modules/assemblyscript/bin/asc.js --optimizeLevel 3 --shrinkLevel 1 --use abort=$sdk/abort "$@"
}
asc command.ts --exportStart _start -o "$out/title.wasm"
asc reactor.ts --exportStart _initialize -o "$out/reactor/title_reactor.wasm"

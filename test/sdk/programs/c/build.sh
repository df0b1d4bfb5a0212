#!/bin/sh
# Builds both forms of the program into DIR, or in place. Usage: ./build.sh [DIR]
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"

# clang runs wasm-opt too when it is installed (binaryen), as for the committed modules.
cc() {
    ${CC:-clang-19} --target=wasm32-wasi -std=c11 -Wall -Wextra -Werror -Wpedantic -Oz -flto \
        -I../../../../sdk/c -Wl,--strip-all -Wl,-z,stack-size=65536 "$@" protocol.c
}
cc -o "$out/protocol.wasm"
cc -o "$out/reactor/protocol_reactor.wasm" -mexec-model=reactor

#!/bin/sh
# Builds both forms of the tool into DIR, or in place. Usage: ./build.sh [DIR]
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"

# clang runs wasm-opt too when it is installed (binaryen), as for the committed modules.
cc() {
    ${CC:-clang-19} --target=wasm32-wasi -std=gnu11 -Wall -Wextra -Werror -Oz -flto \
        -I../../sdk/c -Wl,--strip-all -Wl,-z,stack-size=65536 "$@" wordcount.c
}
cc -o "$out/wordcount.wasm"
cc -o "$out/reactor/wordcount_reactor.wasm" -mexec-model=reactor

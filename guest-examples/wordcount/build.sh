#!/bin/sh
# Builds both forms of the tool into DIR, or in place. Usage: ./build.sh [DIR]
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"

# clang runs wasm-opt too when it is installed (binaryen), as for the committed modules.
cc() {
    ${CC:-clang-19} --target=wasm32-wasi -std=gnu11 -Wall -Wextra -Werror -Oz -flto \
        -Wl,--strip-all -Wl,-z,stack-size=65536 "$@"
}
cc -o "$out/wordcount.wasm" command.c wordcount.c json.c
cc -o "$out/reactor/wordcount_reactor.wasm" -mexec-model=reactor reactor.c wordcount.c json.c

#!/bin/sh
# Builds both forms of the canary into DIR, or in place. Usage: ./build.sh [DIR]
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"

cc() {
    ${CC:-clang-19} --target=wasm32-wasi -std=gnu11 -Wall -Wextra -Werror -O2 \
        -I../../../sdk/c -Wl,--strip-all "$@"
}
cc -o "$out/canary.wasm" command.c canary.c look.c plant.c report.c
cc -o "$out/reactor/canary_reactor.wasm" -mexec-model=reactor reactor.c canary.c look.c plant.c report.c

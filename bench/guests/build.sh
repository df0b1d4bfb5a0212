#!/bin/bash
# Builds the guests, and the wasmtool program for one measurement, into bench/out.
# Usage: guests/build.sh. Run install.sh first.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/out/guests
examples=$PWD/../guest-examples
mkdir -p "$out"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Go: main.go in three forms, and guests for single measurements.
flags=(-trimpath -buildvcs=false -ldflags='-s -w -buildid=')
wasm() {
    GOOS=wasip1 GOARCH=wasm go build "${flags[@]}" "$@"
}
wasm -o "$out/go_command.wasm" ./guests/go
wasm -o "$out/go_reactor.wasm" -buildmode=c-shared ./guests/go
wasm -o "$out/go_extism.wasm" -buildmode=c-shared ./guests/go/extism
wasm -o "$out/go_hold.wasm" -buildmode=c-shared ./guests/go/hold
CGO_ENABLED=0 go build "${flags[@]}" -o "$out/go_native" ./guests/go
(cd .. && CGO_ENABLED=0 go build "${flags[@]}" -o "$out/wasmtool" ./cmd/wasmtool)

# C, with the SDK.
c=(-std=gnu11 -Wall -Wextra -Werror -O2 -I../sdk/c)
job=(guests/c/count.c)
clang() {
    ${CC:-clang-19} --target=wasm32-wasi "${c[@]}" -flto -Wl,--strip-all -Wl,-z,stack-size=65536 "$@"
}
clang -o "$out/c_command.wasm" guests/c/command.c "${job[@]}"
clang -o "$out/c_reactor.wasm" -mexec-model=reactor guests/c/reactor.c "${job[@]}"
clang -o "$out/c_micro.wasm" -mexec-model=reactor guests/c/reactor.c guests/c/micro.c "${job[@]}"
clang -o "$out/c_extism.wasm" -mexec-model=reactor guests/c/extism.c "${job[@]}"
gcc "${c[@]}" -o "$out/c_native" guests/c/command.c "${job[@]}"

# Rust, with the path of Debian's compiler, because a compiler from rustup may come first in PATH
# and lack the target.
rust() {
    ${RUSTC:-/usr/bin/rustc} --target=wasm32-wasi --edition=2021 -D warnings \
        -C opt-level=3 -C lto -C codegen-units=1 -C panic=abort -C strip=symbols "$@"
}
rust -o "$out/rust_command.wasm" guests/rust/command.rs
rust -o "$out/rust_reactor.wasm" --crate-type=cdylib guests/rust/reactor.rs

# AssemblyScript, with the SDK and the compiler from the lock file of an example tool.
cp ../sdk/assemblyscript/index.ts "$work/wasmtool.ts"
cp guests/assemblyscript/*.ts "$examples"/title/package*.json "$work"
npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund --silent
asc() {
    (cd "$work" && node node_modules/assemblyscript/bin/asc.js --optimizeLevel 3 "$@")
}
asc command.ts --config node_modules/@assemblyscript/wasi-shim/asconfig.json -o "$out/as_command.wasm"
asc reactor.ts --use abort=wasmtool/abort --exportStart _initialize -o "$out/as_reactor.wasm"

#!/bin/sh
# Builds both forms of the program into DIR, or in place. Usage: ./build.sh [DIR]
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"
library=$(mktemp -d)
trap 'rm -rf "$library"' EXIT

# Debian's compiler by its path, since one of rustup may precede it and lack the target. The paths of
# the sources are in the messages of panics.
rust() {
    ${RUSTC:-/usr/bin/rustc} --target=wasm32-wasi --edition=2021 -D warnings \
        -C opt-level=z -C codegen-units=1 -C panic=abort -C strip=symbols "$@"
}
rust --crate-name=wasmtool --crate-type=rlib --remap-path-prefix=../../../../sdk/rust/src=wasmtool \
    -o "$library/libwasmtool.rlib" ../../../../sdk/rust/src/lib.rs
rust -C lto --extern "wasmtool=$library/libwasmtool.rlib" -o "$out/protocol.wasm" command.rs
rust -C lto --extern "wasmtool=$library/libwasmtool.rlib" -o "$out/reactor/protocol_reactor.wasm" --crate-type=cdylib reactor.rs
for module in "$out/protocol.wasm" "$out/reactor/protocol_reactor.wasm"; do
    wasm-opt -Oz -o "$module" "$module"
done

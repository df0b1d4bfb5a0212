#!/bin/sh
# Builds both forms of the tool into DIR, or in place. Usage: ./build.sh [DIR]
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"

# Debian's compiler by its path, since one of rustup may precede it and lack the target.
rust() {
    ${RUSTC:-/usr/bin/rustc} --target=wasm32-wasi --edition=2021 -D warnings \
        -C opt-level=z -C lto -C codegen-units=1 -C panic=abort -C strip=symbols "$@"
}
rust -o "$out/slug.wasm" command.rs
rust -o "$out/reactor/slug_reactor.wasm" --crate-type=cdylib reactor.rs
for module in "$out/slug.wasm" "$out/reactor/slug_reactor.wasm"; do
    wasm-opt -Oz -o "$module" "$module"
done

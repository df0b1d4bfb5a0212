#!/bin/sh
# Builds both forms of the canary into DIR, or in place. Usage: ./build.sh [DIR]
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
mkdir -p "$out/reactor"

# As in ../../../guest-examples/slug.
rust() {
    ${RUSTC:-/usr/bin/rustc} --target=wasm32-wasi --edition=2021 -D warnings \
        -C link-arg=-zstack-size=131072 -C opt-level=2 -C lto -C codegen-units=1 -C panic=abort -C strip=symbols "$@"
}
rust -o "$out/canary.wasm" command.rs
rust -o "$out/reactor/canary_reactor.wasm" --crate-type=cdylib reactor.rs
for module in "$out/canary.wasm" "$out/reactor/canary_reactor.wasm"; do
    wasm-opt -Oz -o "$module" "$module"
done

#!/bin/sh
# Builds js.wasm into DIR, or in place: QuickJS of the package quickjs-wasi, with glue.c and
# prelude.js, as one WASI command. Needs clang-19, and the packages of package-lock.json, which
# npm ci installs. Usage: ./build.sh [DIR]
set -eu
out=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
bin=node_modules/.bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The memory of the package's module has 18 pages. All that it refers to is in them, and its
# allocator uses only what memory.grow returned. glue.c gets a page between them, which only it
# refers to. STACK is how much of the 1 MiB of QuickJS's stack scripts may use.
pages=18
"$bin/wasm-dis" node_modules/quickjs-wasi/quickjs.wasm | sed "s/^ (memory \(\$[^ ]*\) $pages)\$/ (memory \1 $((pages + 1)))/" >"$work/qjs.wat"
grep -q "^ (memory \S* $((pages + 1)))\$" "$work/qjs.wat" || { echo "the memory has not $pages pages" >&2; exit 1; }
[ "$(grep -c '(memory.grow$' "$work/qjs.wat")" = 2 ] || { echo "the allocator has changed" >&2; exit 1; }

${CC:-clang-19} --target=wasm32-wasi -std=gnu23 -Wall -Wextra -Werror -Oz -mbulk-memory -nostdlib -Wl,--no-entry -DSTACK=786432 \
    -Xlinker --import-memory=qjs,memory -Wl,--global-base=$((pages * 65536)),--initial-memory=$(((pages + 1) * 65536)),-z,stack-size=0,--strip-all \
    -o "$work/glue.wasm" glue.c
"$bin/wasm-dis" "$work/glue.wasm" -o "$work/glue.wat"
if grep -E '^ \((global|table|elem)' "$work/glue.wat"; then echo "glue.c uses the stack or a function pointer" >&2; exit 1; fi

# The clock and the randomness of QuickJS go through glue.c; everything else of WASI goes to the host.
cat >"$work/wasi.wat" <<'END'
(module
  (import "env" "engine_clock" (func $clock (param i32 i64 i32) (result i32)))
  (import "env" "engine_random" (func $random (param i32 i32) (result i32)))
  (export "clock_time_get" (func $clock))
  (export "random_get" (func $random)))
END
features="--enable-bulk-memory --enable-bulk-memory-opt --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals --enable-multivalue --enable-reference-types --enable-simd"
"$bin/wasm-merge" $features "$work/qjs.wat" qjs "$work/wasi.wat" wasi_snapshot_preview1 -o "$work/one.wasm" -sec
"$bin/wasm-merge" $features "$work/one.wasm" qjs "$work/glue.wasm" env -o "$work/two.wasm" -sec

# Only the memory and _start stay exported, and what they do not reach goes.
echo '[{"name":"start","root":true,"export":"_start"},{"name":"memory","root":true,"export":"memory"}]' >"$work/graph.json"
"$bin/wasm-metadce" $features "$work/two.wasm" --graph-file "$work/graph.json" -o "$out/js.wasm" >/dev/null

#!/bin/bash
# Builds the corpus: programs that others wrote, with a driver for each, into bench/out/corpus. If a
# program cannot be fetched or built, the reason is in NAME.missing there, and the others are built.
# Usage: corpus/build.sh [KIND_NAME...], for example c_zstd. The default is all that changed.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$PWD/out/corpus
mkdir -p "$out/data"
src=$(mktemp -d)
trap 'rm -rf "$src"' EXIT

clang=${CC:-clang-19}
wasi=(--target=wasm32-wasi -std=gnu11 -O2 -DNDEBUG -w -Wl,--strip-all -Wl,-z,stack-size=1048576)

fetch() { corpus/fetch.sh "$1" "$out/archives" "$src"; }

# data FILE...: puts inputs into the directory that programs see as /data.
data() {
    local file
    for file in "$@"; do
        [ "$out/data/$file" -nt corpus/fetch.sh ] && continue
        case $file in
        spec.txt) fetch cmark && cp "$src/cmark/test/spec.txt" "$out/data/$file" ;;
        countries.json) fetch world-countries && cp "$src/world-countries/countries.json" "$out/data/$file" ;;
        test.webp) fetch webp && cp "$src/webp/examples/test.webp" "$out/data/$file" ;;
        configure) fetch webp && cp "$src/webp/configure" "$out/data/$file" ;;
        page.html) fetch bzip2 && cp "$src/bzip2/manual.html" "$out/data/$file" ;;
        source.c) fetch cjson && cp "$src/cjson/cJSON.c" "$out/data/$file" ;;
        acorn.js | handlebars.js | handlebars.runtime.min.js | katex.js) fetch "${file%%.*}" && cp "$src/${file%%.*}/dist/$file" "$out/data/$file" ;;
        life.lua) fetch lua5.1 && cp "$src/lua5.1/test/$file" "$out/data/$file" ;;
        marked.js) fetch marked && cp "$src/marked/lib/marked.umd.js" "$out/data/$file" ;;
        so_*.rb) fetch ruby && cp "$src/ruby/benchmark/$file" "$out/data/$file" ;;
        source.js) fetch jquery && cp "$src/jquery/dist/jquery.js" "$out/data/$file" ;;
        benchmark.star)
            go mod download go.starlark.net &&
                install -m 644 "$(go list -m -f '{{.Dir}}' go.starlark.net)/starlark/testdata/$file" "$out/data/$file"
            ;;
        *) echo "build.sh knows no input $file" >&2 && false ;;
        esac && touch "$out/data/$file" || return
    done
}

# c NAME FLAGS...: builds a driver with files and flags of the program.
c() {
    local name=$1
    shift
    "$clang" "${wasi[@]}" -mexec-model=reactor -o "$out/c_$name.wasm" "corpus/c/$name.c" "$@"
}

c_bzip2() {
    local s=$src/bzip2
    fetch bzip2 && data spec.txt && c bzip2 -DBZ_NO_STDIO -I"$s" "$s"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c
}
c_cjson() {
    fetch cjson && data countries.json &&
        c cjson -I"$src/cjson" "$src/cjson/cJSON.c"
}
c_cmark() {
    local s=$src/cmark/src
    fetch cmark && data spec.txt && configure_cmark "$s" && c cmark -I"$s" \
        "$s"/{blocks,buffer,cmark,cmark_ctype,commonmark,houdini_href_e,houdini_html_e,houdini_html_u,html,inlines,iterator,latex,man,node,references,render,scanners,utf8,xml}.c
}
# configure_cmark writes the headers that cmark's own build would write with cmake.
configure_cmark() {
    printf '#define HAVE_STDBOOL_H\n#include <stdbool.h>\n#define CMARK_ATTRIBUTE(x)\n#define CMARK_INLINE inline\n' >"$1/config.h"
    printf '#define CMARK_EXPORT\n#define CMARK_NO_EXPORT\n' >"$1/cmark_export.h"
    printf '#define CMARK_VERSION 0\n#define CMARK_VERSION_STRING "0"\n' >"$1/cmark_version.h"
}
c_kissfft() { fetch kissfft && c kissfft -I"$src/kissfft" "$src/kissfft/kiss_fft.c"; }
c_onig() {
    local s=$src/onig/src
    fetch onig && data spec.txt &&
        printf '#define SIZEOF_INT 4\n#define SIZEOF_LONG 4\n#define SIZEOF_LONG_LONG 8\n#define SIZEOF_VOIDP 4\n#define HAVE_STDINT_H 1\n#define HAVE_ALLOCA_H 1\n#define HAVE_INTTYPES_H 1\n' >"$s/config.h" &&
        c onig -DHAVE_CONFIG_H -I"$s" "$s"/{regparse,regcomp,regexec,regenc,regerror,regext,regsyntax,regtrav,regversion,st,unicode,unicode_unfold_key,unicode_fold1_key,unicode_fold2_key,unicode_fold3_key,ascii,utf8,onig_init}.c
}
c_picosat() { fetch picosat && c picosat -DNGETRUSAGE -I"$src/picosat" "$src/picosat/picosat.c"; }
c_sqlite() {
    local s=$src/better-sqlite3/deps/sqlite3
    fetch better-sqlite3 && c sqlite -DSQLITE_THREADSAFE=0 -DSQLITE_OS_OTHER=1 -DSQLITE_OMIT_LOAD_EXTENSION \
        -DSQLITE_OMIT_LOCALTIME -DSQLITE_TEMP_STORE=3 -I"$s" "$s/sqlite3.c"
}
c_webp() {
    local s=$src/webp
    fetch webp && data test.webp &&
        c webp -I"$s" -I"$s/src" "$s"/src/{dec,dsp,enc,utils}/*.c "$s"/sharpyuv/*.c
}
c_xxhash() {
    fetch xxhash && data countries.json &&
        c xxhash -I"$src/xxhash" "$src/xxhash/xxhash.c"
}
c_zstd() {
    local s=$src/zstd/lib
    fetch zstd && data spec.txt &&
        c zstd -DZSTD_DISABLE_ASM -I"$s" "$s"/{common,compress,decompress}/*.c
}

# The drivers in Go use packages that are dependencies of this module.
go_program() {
    local name=${1#go_} file
    for file in $(sed -n 's/.*driver.Load("\([^"]*\)").*/\1/p' "corpus/go/$name/main.go"); do
        data "$file" || return
    done
    GOOS=wasip1 GOARCH=wasm go build -trimpath -buildvcs=false -ldflags='-s -w -buildid=' -buildmode=c-shared \
        -o "$out/$1.wasm" "./corpus/go/$name"
}

# shellcheck source=interpreters.sh
. corpus/interpreters.sh

programs=("$@")
if [ $# = 0 ]; then
    for program in $(compgen -A function c_); do
        driver=corpus/c/${program#c_}.c
        for file in "$driver" corpus/c/driver.h corpus/build.sh corpus/fetch.sh; do
            [ "$out/$program.wasm" -nt "$file" ] || { programs+=("$program") && break; }
        done
    done
    programs+=($(compgen -A function interpreters_))
    for driver in corpus/go/*/main.go; do
        programs+=("go_$(basename "$(dirname "$driver")")")
    done
fi
for program in "${programs[@]}"; do
    rm -f "$out/$program.missing"
    if [[ $program = go_* ]]; then build=(go_program "$program"); else build=("$program"); fi
    if ! "${build[@]}" 2>"$out/log"; then
        rm -f "$out/$program.wasm"
        (grep -i error "$out/log" || cat "$out/log") | head -n 2 | tr "\n" " " >"$out/$program.missing"
        echo "$program cannot be measured: $(cat "$out/$program.missing")" >&2
    fi
done
rm -f "$out/log"

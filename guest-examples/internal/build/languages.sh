#!/bin/bash
# Builds the example tools and the canaries of tests that are not written in Go, and
# writes their modules and SHA256SUMS into their folders. With -check it compares
# instead: exit code 1 when a module is not what its source gives. Compilers that are
# missing are installed, which needs root, Debian 12 and the network.
set -euo pipefail
cd "$(dirname "$0")/../../.."

# Folders, each with the name of its module. A canary takes what it imports from the
# tool in its language, which comes before it.
folders=(
    guest-examples/wordcount:wordcount
    guest-examples/slug:slug
    guest-examples/title:title
    testdata/canary/c:canary
    testdata/canary/rust:canary
    testdata/canary/assemblyscript:canary
)
packages=(clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc # C
    rustc libstd-rust-dev-wasm32 lld-14 binaryen)             # Rust

case "${1-}" in
-check) check=yes ;;
'') check= ;;
*)
    echo "usage: languages.sh [-check]" >&2
    exit 2
    ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly shows what a command prints only when it fails.
quietly() {
    "$@" >"$work/log" 2>&1 && return
    echo "failed: $*" >&2
    cat "$work/log" >&2
    exit 1
}

install_compilers() {
    local missing=() package
    for package in "${packages[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    command -v npm >/dev/null || missing+=(nodejs npm) # AssemblyScript
    [ ${#missing[@]} = 0 ] && return
    quietly apt-get update -qq
    DEBIAN_FRONTEND=noninteractive quietly apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# build makes the modules in a folder from a copy of its sources in $work. What stands
# beside the sources, such as node_modules, has no part in it.
build() {
    local folder=$1 name=$2
    mkdir -p "$work/$folder"
    tar -c --exclude=node_modules --exclude='*.wasm' "$folder" | tar -x -C "$work"
    if [ -f "$folder/package-lock.json" ]; then
        quietly npm ci --prefix "$work/$folder" --ignore-scripts --no-audit --no-fund
    fi
    quietly "$work/$folder/build.sh" "$work/$folder"
    (cd "$work/$folder" && chmod 644 "$name.wasm" "reactor/${name}_reactor.wasm" &&
        sha256sum "$name.wasm" "reactor/${name}_reactor.wasm" >SHA256SUMS)
}

versions() {
    clang-19 --version | head -1
    /usr/bin/rustc --version
    wasm-opt --version
    echo "assemblyscript $(node -p "require('$work/guest-examples/title/node_modules/assemblyscript/package.json').version"), node $(node --version)"
    dpkg-query -W wasi-libc libstd-rust-dev-wasm32
}

install_compilers
differ=()
for entry in "${folders[@]}"; do
    folder=${entry%:*} name=${entry#*:}
    build "$folder" "$name"
    for file in "$folder/$name.wasm" "$folder/reactor/${name}_reactor.wasm" "$folder/SHA256SUMS"; do
        cmp -s "$file" "$work/$file" && continue
        differ+=("$file")
        [ -n "$check" ] || cp "$work/$file" "$file"
    done
done

[ ${#differ[@]} = 0 ] && exit
if [ -n "$check" ]; then
    {
        echo "not what the sources give (run guest-examples/internal/build/languages.sh):"
        printf '  %s\n' "${differ[@]}"
        echo "built with:"
        versions | sed 's/^/  /'
    } >&2
    exit 1
fi
printf 'wrote %s\n' "${differ[@]}"

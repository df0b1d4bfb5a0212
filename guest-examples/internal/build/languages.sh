#!/bin/bash
# Builds the example tools and the test canaries that are not written in Go, and the
# JavaScript interpreter, and writes their modules and SHA256SUMS into their directories. With -check it only compares, and
# exits with code 1 if a module differs from a build of its source. It installs missing
# compilers, which needs root, Debian 12 and the network.
set -euo pipefail
cd "$(dirname "$0")/../../.."

# Directories, each with the name of its module. The canary in AssemblyScript uses the compiler of
# title, which is listed before it.
directories=(
    guest-examples/wordcount:wordcount
    guest-examples/slug:slug
    guest-examples/title:title
    testdata/canary/c:canary
    testdata/canary/rust:canary
    testdata/canary/assemblyscript:canary
    test/sdk/programs/c:protocol
    test/sdk/programs/rust:protocol
    test/sdk/programs/assemblyscript:protocol
    registry/runtimes/js:js
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

# quietly shows the output of a command only if the command fails.
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

# modules prints the modules of a directory: both forms of a tool.
modules() {
    local dir=$1 name=$2
    echo "$name.wasm"
    [ ! -d "$dir/reactor" ] || echo "reactor/${name}_reactor.wasm"
}

# build builds the modules of a directory from a copy of its sources in $work, so that
# other files next to the sources, such as node_modules, have no effect.
build() {
    local dir=$1 name=$2
    mkdir -p "$work/$dir"
    tar -c --exclude=node_modules --exclude='*.wasm' "$dir" | tar -x -C "$work"
    if [ -f "$dir/package-lock.json" ]; then
        quietly npm ci --prefix "$work/$dir" --ignore-scripts --no-audit --no-fund
    fi
    quietly "$work/$dir/build.sh" "$work/$dir"
    modules "$dir" "$name" | (cd "$work/$dir" && xargs chmod 644)
    modules "$dir" "$name" | (cd "$work/$dir" && xargs sha256sum >SHA256SUMS)
}

versions() {
    clang-19 --version | head -1
    /usr/bin/rustc --version
    wasm-opt --version
    echo "assemblyscript $(node -p "require('$work/guest-examples/title/node_modules/assemblyscript/package.json').version"), node $(node --version)"
    dpkg-query -W wasi-libc libstd-rust-dev-wasm32
}

install_compilers
tar -c sdk | tar -x -C "$work" # the SDKs, which they use
differ=()
for entry in "${directories[@]}"; do
    dir=${entry%:*} name=${entry#*:}
    build "$dir" "$name"
    for file in $(modules "$dir" "$name") SHA256SUMS; do
        file=$dir/$file
        cmp -s "$file" "$work/$file" && continue
        differ+=("$file")
        [ -n "$check" ] || cp "$work/$file" "$file"
    done
done

[ ${#differ[@]} = 0 ] && exit
if [ -n "$check" ]; then
    {
        echo "these files differ from a build of the sources (run guest-examples/internal/build/languages.sh):"
        printf '  %s\n' "${differ[@]}"
        echo "built with:"
        versions | sed 's/^/  /'
    } >&2
    exit 1
fi
printf 'wrote %s\n' "${differ[@]}"

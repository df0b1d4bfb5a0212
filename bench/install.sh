#!/bin/bash
# Installs what bench needs in addition to Go: compilers for the guests, and the systems under test
# that are not Go packages. It needs root, Debian 12 and the network. Installed packages are kept.
set -euo pipefail

packages=(gcc                                               # native programs, cgo
    clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc     # C guests
    rustc libstd-rust-dev-wasm32 lld-14                     # Rust guests
    bubblewrap                                              # a system under test
    ripgrep fd-find)                                        # alternatives to grep and glob

missing=()
for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
command -v node >/dev/null && command -v npm >/dev/null || missing+=(nodejs npm) # AssemblyScript guests, a system under test
[ ${#missing[@]} = 0 ] && exit
echo "installing ${missing[*]}" >&2
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"

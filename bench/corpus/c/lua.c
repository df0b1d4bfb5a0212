// lua runs a script. Errors end it, because WASI has no longjmp.
#include <stdio.h>

#include "lauxlib.h"
#include "lualib.h"

// tmpfile is not part of WASI.
FILE *tmpfile(void) { return NULL; }

int main(int argc, char **argv) {
    lua_State *state = luaL_newstate();
    const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base}, {LUA_TABLIBNAME, luaopen_table}, {LUA_IOLIBNAME, luaopen_io},
        {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
    };
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(state, libraries[i].name, libraries[i].func, 1);
        lua_pop(state, 1);
    }
    return argc != 2 || luaL_dofile(state, argv[1]);
}

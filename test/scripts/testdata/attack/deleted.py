# Nothing is left of the language.
import builtins, sys


def run(args):
    modules = list(sys.modules)
    for name in modules:
        if name != "sys":
            vars(sys.modules[name]).clear() if name != "builtins" else None
    sys.modules.clear()
    for name in list(vars(builtins)):
        delattr(builtins, name)
    return 1

# wasmtool has http, kv, log, progress and more for the tool.
import wasmtool


def run(args):
    """Gets the arguments, which match [parameters] of tool.toml, and returns the result."""
    words = args["text"].split()
    if not words:
        raise wasmtool.Error("the text has no words")
    return len(words)

# A server echoes the secret that the host put into the request.
import sys

import wasmtool


def run(args):
    response = wasmtool.http("GET", "https://api.example.com" + args["path"])
    text, body = response.text, response.body
    wasmtool.log(text), wasmtool.progress(1, 2, text), wasmtool.update(text, {"a": text}, text)
    wasmtool.kv.put("kept", text)
    print(text), print(text, file=sys.stderr)
    match args["end"]:
        case "raise":
            raise ValueError(text)
        case "error":
            raise wasmtool.Error(text)
        case "exit":
            sys.exit(text)
        case "structured":
            return {"text": text, "headers": dict(response.headers), "list": list(text), text: 1}
        case "image":
            return [text, wasmtool.resource("file:///x", "text/plain", text), wasmtool.resource("file:///y", "text/plain", body)]
        case "traceback":
            exec(compile("def f():\n    " + repr(text) + " + 1\nf()", text, "exec"))
    return f"{text} {text[::-1]} {response.headers}"

# The frames and objects below the script: nothing secret is there, and what is changed there
# changes only this call.
import gc, sys


def run(args):
    texts, frame, names = [], sys._getframe(), []
    while frame:
        names.append(frame.f_code.co_filename)
        for scope in frame.f_globals, frame.f_locals:
            texts += [repr(v)[:10000] for v in list(scope.values())]
        below, frame = frame, frame.f_back
    for o in gc.get_objects():
        if type(o) in (str, bytes, dict, list, tuple):
            texts.append(repr(o)[:10000])
    # The word is not in the source as a whole, so that the script does not find itself.
    word = "".join(args["find"])
    if any(word in text for text in texts):
        raise RuntimeError("found a secret")
    boot = below.f_globals
    boot["encode_result"] = lambda *a: '{"content": [{"type": "text", "text": "replaced"}]}'
    boot["fail"] = boot["encode_json"] = None
    return names

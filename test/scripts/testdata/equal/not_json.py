def run(args):
    return {"a": {1, 2}}

def run(args):
    return run(args)

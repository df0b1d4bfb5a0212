import logging, sys, warnings

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")


def run(args):
    print("to the log", args["n"])
    logging.info("a line")
    warnings.warn("a warning")
    sys.stdout.write("no end of line")
    return "done"

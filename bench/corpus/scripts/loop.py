"""What the scripts in Python share."""

import sys
import zlib

sys.path[:0] = ["/data/scripts", "/data/jinja2", "/data/markupsafe"]


def loop(run):
    """Runs a function once for each line of the input, and prints a digest of its result."""
    while sys.stdin.readline():
        text = run()
        print(zlib.crc32(text.encode()), len(text), flush=True)

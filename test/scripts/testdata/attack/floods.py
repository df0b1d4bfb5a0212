# program
# A gigabyte of output.
import json, sys

if json.load(sys.stdin)["flood"] == "output":
    for _ in range(1024):
        sys.stdout.write("x" * (1 << 20))
else:
    for _ in range(1024):
        sys.stderr.write("x" * (1 << 20))

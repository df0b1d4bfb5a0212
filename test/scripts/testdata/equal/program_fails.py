# program
import json, sys

args = json.load(sys.stdin)
print("some output")
if args["n"] > 5:
    sys.exit(f"more than five: {args['n']}")
print("fewer")
raise KeyError(args["text"])

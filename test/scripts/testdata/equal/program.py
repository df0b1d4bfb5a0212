# program
import argparse, atexit, json, sys

parser = argparse.ArgumentParser()
parser.add_argument("--times", type=int, default=2)


class Gone:
    def __del__(self):
        print("deleted")


def main():
    args = json.load(sys.stdin)
    for _ in range(parser.parse_args().times):
        print(args["text"], end=";")
    print(file=sys.stderr)
    gone = Gone()
    del gone
    print(__name__, sys.argv, len(sys.modules) > 50, sorted(k for k in globals() if not k.startswith("_")))


if __name__ == "__main__":
    main()

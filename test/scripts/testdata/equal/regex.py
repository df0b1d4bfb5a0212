import re

word = re.compile(r"(?P<first>\w)(?P<rest>\w*)")


def run(args):
    text = args["text"] * 200
    return [
        word.sub(lambda m: m["rest"] + m["first"], args["text"]), len(word.findall(text)),
        re.split(r"[\s,]+", args["text"]), re.sub(r"(?i)[aeiou]", "*", args["text"]),
        bool(re.fullmatch(r"(a|b|ab)*c", "ab" * args["n"] + "c")), len(re.findall(r"(?<=\s)\S", text)),
    ]

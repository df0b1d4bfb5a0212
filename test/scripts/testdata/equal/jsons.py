import json


def run(args):
    rows = [{"id": i, "name": args["text"] + str(i), "tags": ["é", "\u2028", None, 1.5e300]} for i in range(args["n"] * 50)]
    text = json.dumps(rows)
    try:
        json.loads(text[:-1])
    except json.JSONDecodeError as e:
        error = str(e)
    return {"equal": json.loads(text) == rows, "length": len(text), "error": error, "big": 2**200, "rows": rows[:2]}

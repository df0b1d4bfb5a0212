import collections, csv, datetime, decimal, fractions, io, itertools, json, re, statistics


def run(args):
    import html, textwrap, xml.etree.ElementTree as tree  # late
    out = io.StringIO()
    csv.writer(out).writerows([[1, "a,b"], [2, 'c"d']])
    node = tree.fromstring("<a b='1'><c>x</c></a>")
    return [
        out.getvalue(), html.escape("<&>"), textwrap.fill("word " * 30, 20), node.find("c").text,
        str(decimal.Decimal(1) / 7), str(fractions.Fraction(args["n"], 6)), statistics.median([3, 1, 2]),
        str(datetime.date(2026, 11, 30) + datetime.timedelta(args["n"])), collections.Counter(args["text"]).most_common(2),
        [list(g) for _, g in itertools.groupby(sorted(args["text"]))],
    ]

package standard_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// technique is a script, and what it gives, computed from direct calls. DIR is the directory of the
// server of files; in replaces it.
type technique struct {
	language, name, script string
	want                   func(d direct, in func(string) string) any
}

var techniques = slices.Concat(inJavaScript, inTypeScript, inPython)

func sums(d direct, n int) (all []string) {
	for i := range n {
		all = append(all, d.sum(i, i))
	}
	return all
}

func errorsOfLog(d direct, in func(string) string) []string {
	return regexp.MustCompile(`ERROR .*`).FindAllString(d.content("read_text_file", in(`{"path":"DIR/log.txt"}`)), -1)
}

func tags(d direct, in func(string) string) (all []string) {
	var data struct{ Rows []struct{ Tags []string } }
	if err := json.Unmarshal([]byte(d.content("read_text_file", in(`{"path":"DIR/data.json"}`))), &data); err != nil {
		d.Fatal(err)
	}
	for _, row := range data.Rows {
		all = append(all, row.Tags...)
	}
	return all
}

func missing(d direct, in func(string) string) any {
	return d.fails("mcp__files__read_text_file", in(`{"path":"DIR/none.txt"}`))
}

func image(d direct, _ func(string) string) any {
	return d.call("mcp__everything__get-tiny-image", "{}").Content
}

func onlyImage(d direct, in func(string) string) any {
	return slices.DeleteFunc(d.call("mcp__everything__get-tiny-image", "{}").Content, func(c tool.Content) bool { return c.Type != tool.ContentImage })
}

func unicodeTexts(d direct, in func(string) string) any {
	return d.echo("naïve 日本 🙂") + "|" + d.content("read_text_file", in(`{"path":"DIR/unicode.txt"}`)) + "|end"
}

func size(d direct, in func(string) string) any {
	text := d.content("read_text_file", in(`{"path":"DIR/big.txt"}`))
	return []int{len(text), strings.Count(text, "\n")}
}

func twoCities(d direct, _ func(string) string) any {
	return []any{d.weather("New York"), d.weather("Chicago")}
}

func whole(d direct, _ func(string) string) any {
	r := d.call("mcp__everything__get-structured-content", `{"location":"Chicago"}`)
	return []any{r.Text(), r.Structured, r.Structured, len(r.Content)}
}

func five(d direct, _ func(string) string) any     { return sums(d, 5) }
func errs(d direct, in func(string) string) any    { return errorsOfLog(d, in) }
func allTags(d direct, in func(string) string) any { return tags(d, in) }
func one(d direct, _ func(string) string) any      { return d.sum(2, 3) }

func leaves(d direct, in func(string) string) any {
	type node struct {
		Name, Type string
		Children   []node
	}
	top, all := []node{}, []string{}
	if err := json.Unmarshal([]byte(d.content("directory_tree", in(`{"path":"DIR/sub"}`))), &top); err != nil {
		d.Fatal(err)
	}
	for len(top) > 0 {
		if n := top[0]; n.Type == "file" {
			all, top = append(all, n.Name), top[1:]
		} else {
			top = append(slices.Clone(n.Children), top[1:]...)
		}
	}
	return all
}

var inJavaScript = []technique{
	{"js", "text result", `return await tools.everything.echo({message: "one"});`, func(d direct, _ func(string) string) any { return d.echo("one") }},
	{"js", "name with dashes", `return await tools.everything.get_sum({a: 2, b: 3});`, one},
	{"js", "real name", `return await tools["mcp__everything__get-sum"]({a: 2, b: 3});`, one},
	{"js", "computed path", `const [server, name] = ["everything", ["get", "sum"].join("_")]; return await tools[server][name]({a: 2, b: 3});`, one},
	{"js", "bound function", `const { get_sum: sum } = tools.everything; return await sum({a: 2, b: 3});`, one},
	{"js", "whole result", `const r = await tools.call("mcp__everything__get-structured-content", {location: "Chicago"});
return [r.text, r.structured, r.value, r.content.length];`, whole},
	{"js", "loop", `const out = [];
for (let i = 0; i < 5; i++) out.push(await tools.everything.get_sum({a: i, b: i}));
return out;`, five},
	{"js", "promise all", `return await Promise.all([0, 1, 2, 3, 4].map((i) => tools.everything.get_sum({a: i, b: i})));`, five},
	{"js", "then", `return tools.everything.get_sum({a: 2, b: 3}).then((text) => text);`, one},
	{"js", "async generator", `async function* sums(n) { for (let i = 0; i < n; i++) yield await tools.everything.get_sum({a: i, b: i}); }
const out = [];
for await (const s of sums(5)) out.push(s);
return out;`, five},
	{"js", "class", `class Client {
  #tools; constructor(t) { this.#tools = t; }
  sum(a, b = a) { return this.#tools.get_sum({a, b}); }
}
const client = new Client(tools.everything), out = [];
for (const i of Array(5).keys()) out.push(await client.sum(i));
return out;`, five},
	{"js", "structured result and destructuring", `const [a, {...b}] = await Promise.all(["New York", "Chicago"].map((location) => tools.everything.get_structured_content({location})));
const {temperature, conditions, humidity} = a;
return [{temperature, conditions, humidity}, b];`, twoCities},
	{"js", "nested data and json", `const {content} = await tools.files.read_text_file({path: "DIR/data.json"});
return JSON.parse(content).rows.flatMap((row) => row?.tags ?? []);`, allTags},
	{"js", "regular expression", `const {content} = await tools.files.read_text_file({path: "DIR/log.txt"});
return Array.from(content.matchAll(/ERROR .*/g), (m) => m[0]);`, errs},
	{"js", "error", `try { await tools.files.read_text_file({path: "DIR/none.txt"}); } catch (e) { return [e.kind, e.message]; }`, missing},
	{"js", "class of the error", `const { HostError } = await import("wasmtool");
const r = await tools.files.read_text_file({path: "DIR/none.txt"}).catch((e) => e instanceof HostError && [e.kind, e.message]);
return r;`, missing},
	{"js", "all settled", `const all = await Promise.allSettled(["none.txt", "data.json"].map((n) => tools.files.read_text_file({path: "DIR/" + n})));
return [all[0].reason.kind, all[0].reason.message, all[1].value.content];`, func(d direct, in func(string) string) any {
		return append(missing(d, in).([]string), d.content("read_text_file", in(`{"path":"DIR/data.json"}`)))
	}},
	{"js", "image", `return await tools.everything.get_tiny_image({});`, image},
	{"js", "a block of several", `const r = await tools.call("mcp__everything__get-tiny-image");
return r.content.find((b) => b.type === "image");`, onlyImage},
	{"js", "links", `return await tools.everything.get_resource_links({count: 2});`, func(d direct, _ func(string) string) any {
		return d.call("mcp__everything__get-resource-links", `{"count":2}`).Content
	}},
	{"js", "large result", `const {content} = await tools.files.read_text_file({path: "DIR/big.txt"});
return [content.length, content.split("\n").length - 1];`, size},
	{"js", "unicode", "const [a, b] = await Promise.all([tools.everything.echo({message: 'naïve 日本 🙂'}), tools.files.read_text_file({path: 'DIR/unicode.txt'})]);\nreturn `${a}|${b.content}|end`;", unicodeTexts},
	{"js", "console", `console.log(await tools.everything.echo({message: "one"}));
console.log(await tools.everything.echo({message: "two"}));`, func(d direct, _ func(string) string) any { return d.echo("one") + "\n" + d.echo("two") }},
	{
		"js", "stdin", `return (await Promise.all(stdin.trim().split("\n").map((message) => tools.everything.echo({message})))).join();`,
		func(d direct, _ func(string) string) any { return d.echo("two") + "," + d.echo("lines") },
	},
	{"js", "recursion", `const names = (nodes) => nodes.flatMap((n) => n.type === "file" ? n.name : names(n.children));
return names(JSON.parse((await tools.files.directory_tree({path: "DIR/sub"})).content));`, leaves},
	{"js", "write and read", `const path = "DIR/js.txt";
await tools.files.write_file({path, content: "one two"});
await tools.files.edit_file({path, edits: [{oldText: "two", newText: "three"}]});
return (await tools.files.read_text_file({path})).content;`, func(d direct, in func(string) string) any {
		return d.content("read_text_file", in(`{"path":"DIR/js.txt"}`))
	}},
	{"js", "search", `const found = await tools.search("sum of two numbers", 1);
return await tools[found[0].name]({a: 2, b: 3});`, one},
	{"js", "a hundred calls", `const seen = new Set();
for (let i = 0; i < 10; i++) (await Promise.all(Array.from({length: 10}, (_, j) => tools.everything.get_sum({a: j % 5, b: j % 5})))).forEach((s) => seen.add(s));
return [...seen];`, five},
}

var inTypeScript = []technique{
	{"ts", "types", `interface Weather { temperature: number; conditions: string; humidity: number }
const cities = ["New York", "Chicago"] as const;
const all: Weather[] = await Promise.all(cities.map((location): Promise<Weather> => tools.everything.get_structured_content({ location })));
return all;`, twoCities},
	{"ts", "generics", `async function each<T, R>(list: readonly T[], f: (x: T) => Promise<R>): Promise<R[]> { const out: R[] = []; for (const x of list) out.push(await f(x)); return out; }
return await each<number, string>([0, 1, 2, 3, 4], (a) => tools.everything.get_sum({ a, b: a }));`, five},
	{"ts", "enum", `enum City { First = "New York", Second = "Chicago" }
return [await tools.everything.get_structured_content({ location: City.First }), await tools.everything.get_structured_content({ location: City.Second as string })];`, twoCities},
	{"ts", "class", `class Logs { constructor(private readonly path: string) {} async errors(): Promise<string[]> { const { content } = await tools.files.read_text_file({ path: this.path }); return content.match(/ERROR .*/g)!; } }
return new Logs("DIR/log.txt").errors();`, errs},
	{"ts", "error", `const kinds: [string, string][] = [];
try { await tools.files.read_text_file({ path: "DIR/none.txt" }); } catch (e: unknown) { const { kind, message } = e as { kind: string; message: string }; kinds.push([kind, message]); }
return kinds[0] satisfies string[];`, missing},
	{"ts", "type guard", `type Row = { id: number; tags: string[] };
const isRow = (v: unknown): v is Row => typeof v === "object" && v !== null && "tags" in v;
const data = JSON.parse((await tools.files.read_text_file({ path: "DIR/data.json" })).content) as { rows: unknown[] };
return data.rows.filter(isRow).flatMap((r) => r.tags);`, allTags},
	{"ts", "image", `return await tools.everything.get_tiny_image({});`, image},
}

var inPython = []technique{
	{"python", "last expression", `tools.everything.echo(message="one")`, func(d direct, _ func(string) string) any { return d.echo("one") }},
	{"python", "print", "for m in ('one', 'two'):\n    print(tools.everything.echo(message=m))", func(d direct, _ func(string) string) any { return d.echo("one") + "\n" + d.echo("two") }},
	{"python", "name with dashes", `tools.everything.get_sum(a=2, b=3)`, one},
	{"python", "real name", `tools["mcp__everything__get-sum"](a=2, b=3)`, one},
	{"python", "await", "r = await tools.everything.get_sum(a=2, b=3)\nr", one},
	{"python", "whole result", `r = tools.call("mcp__everything__get-structured-content", {"location": "Chicago"})
[r.text, r.structured, r.value, len(r.content)]`, whole},
	{"python", "loop", "out = []\nfor i in range(5):\n    out.append(tools.everything.get_sum(a=i, b=i))\nout", five},
	{"python", "comprehension", "[tools.everything.get_sum(a=i, b=i) for i in range(5)]", five},
	{"python", "gather", "import asyncio\nlist(await asyncio.gather(*(tools.everything.get_sum(a=i, b=i) for i in range(5))))", five},
	{"python", "generator", "def sums(n):\n    for i in range(n):\n        yield tools.everything.get_sum(a=i, b=i)\nlist(sums(5))", five},
	{"python", "async generator", "async def sums(n):\n    for i in range(n):\n        yield await tools.everything.get_sum(a=i, b=i)\n[s async for s in sums(5)]", five},
	{"python", "async function and run", "import asyncio\nasync def main():\n    return [await tools.everything.get_sum(a=i, b=i) for i in range(5)]\nasyncio.run(main())", five},
	{"python", "tasks", "import asyncio\nasync def work(i):\n    return await tools.everything.get_sum(a=i, b=i)\nasync with asyncio.TaskGroup() as g:\n    tasks = [g.create_task(work(i)) for i in range(5)]\n[t.result() for t in tasks]", five},
	{"python", "class", "from dataclasses import dataclass\n@dataclass\nclass Pair:\n    a: int\n    b: int\n    def sum(self):\n        return tools.everything.get_sum(**self.__dict__)\n[Pair(i, i).sum() for i in range(5)]", five},
	{"python", "structured result", `[tools.everything.get_structured_content(location=c) for c in ("New York", "Chicago")]`, twoCities},
	{"python", "unpacking and match", `def show(w):
    match w:
        case {"temperature": t, "conditions": c, "humidity": h}:
            return {"temperature": t, "conditions": c, "humidity": h}
a, b = (tools.everything.get_structured_content(location=c) for c in ("New York", "Chicago"))
[show(a), {**b}]`, twoCities},
	{"python", "nested data and json", `import json
data = json.loads(tools.files.read_text_file(path="DIR/data.json")["content"])
[t for row in data["rows"] for t in row.get("tags", [])]`, allTags},
	{"python", "regular expression", `import re
re.findall(r"^ERROR .*$", tools.files.read_text_file(path="DIR/log.txt")["content"], re.M)`, errs},
	{"python", "error", `from wasmtool import HostError
out = None
try:
    tools.files.read_text_file(path="DIR/none.txt")
except HostError as e:
    out = [e.kind, e.message]
out`, missing},
	{"python", "gathered errors", `import asyncio
r, _ = await asyncio.gather(tools.files.read_text_file(path="DIR/none.txt"), tools.everything.echo(message="x"), return_exceptions=True)
[r.kind, r.message]`, missing},
	{"python", "image", `tools.everything.get_tiny_image()`, image},
	{"python", "a block of several", `r = tools.call("mcp__everything__get-tiny-image")
next(b for b in r.content if b["type"] == "image")`, onlyImage},
	{"python", "large result", `text = tools.files.read_text_file(path="DIR/big.txt")["content"]
[len(text), text.count("\n")]`, size},
	{"python", "unicode", `a, b = tools.everything.echo(message="naïve 日本 🙂"), tools.files.read_text_file(path="DIR/unicode.txt")
f"{a}|{b['content']}|end"`, unicodeTexts},
	{"python", "stdin", `",".join(tools.everything.echo(message=m) for m in stdin.split())`, func(d direct, _ func(string) string) any { return d.echo("two") + "," + d.echo("lines") }},
	{"python", "sys stdin", "import sys\nprint(','.join(tools.everything.echo(message=m.strip()) for m in sys.stdin))", func(d direct, _ func(string) string) any { return d.echo("two") + "," + d.echo("lines") }},
	{"python", "recursion", `import json
def names(nodes):
    for n in nodes:
        if n["type"] == "file":
            yield n["name"]
        else:
            yield from names(n["children"])
list(names(json.loads(tools.files.directory_tree(path="DIR/sub")["content"])))`, leaves},
	{"python", "write and read", `path = "DIR/py.txt"
tools.files.write_file(path=path, content="one two")
tools.files.edit_file(path=path, edits=[{"oldText": "two", "newText": "three"}])
tools.files.read_text_file(path=path)["content"]`, func(d direct, in func(string) string) any {
		return d.content("read_text_file", in(`{"path":"DIR/py.txt"}`))
	}},
	{"python", "csv and counter", `import csv, io
from collections import Counter
c = Counter()
for row in csv.DictReader(io.StringIO(tools.files.read_text_file(path="DIR/table.csv")["content"])):
    c[row["name"]] += int(row["n"])
print(*(tools.everything.get_sum(a=n, b=0) for _, n in c.most_common()), sep="\n")`, func(d direct, _ func(string) string) any { return d.sum(4, 0) + "\n" + d.sum(3, 0) }},
	{"python", "search", `found = tools.search("sum of two numbers", 1)
tools[found[0]["name"]](a=2, b=3)`, one},
}

package code

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/registry/tool/signature"
)

// DefaultTokens is the default of Options.Tokens.
const DefaultTokens = 2000

// tokenBytes is about how many bytes of a signature a token has.
const tokenBytes = 4

const introduction = `Runs a script that calls tools, and returns what it prints or returns. Use it for several calls that depend on each other, for loops over calls, and to keep large results out of the conversation.
js, ts: the script is the body of an async function, such as: const text = await tools.grep({pattern: "TODO"}); return text.split("\n").length. Promise.all makes calls that only read at the same time.
python: tools.grep(pattern="TODO") returns the result, and may be awaited; print what is needed, or end with an expression.
A call returns the structured value of the result, or its text, and throws an error with kind and message. tools.call(name, arguments) returns the whole result: text, structured and content. tools.search(words) returns name, signature and description of tools. stdin is the text of the argument. There are no files, network or packages.`

// line is the line of a tool in the description.
type line struct {
	server, path, text string
}

// Overview describes the tool with the signatures of the tools that its caller may call, as many as
// fit. Each MCP server gets the same part of the room. It implements [tool.Overviewer].
func (e *executor) Overview(callable []tool.Spec) string {
	callable = slices.DeleteFunc(slices.Clone(callable), func(s tool.Spec) bool { return s.Name == Name })
	if len(callable) == 0 {
		return introduction + "\nThe operator has not granted any tool to scripts yet, so a call of this tool is denied."
	}
	servers := make(map[string][]tool.Spec)
	for _, s := range callable {
		servers[s.Server] = append(servers[s.Server], s)
	}
	names := slices.Sorted(maps.Keys(servers))
	var lines []line
	room := e.o.Tokens * tokenBytes
	for full := false; !full && len(lines) < len(callable); {
		for _, name := range names {
			rest := servers[name]
			if len(rest) == 0 {
				continue
			}
			l := lineOf(rest[0])
			if room -= len(l.text) + 1; room < 0 {
				full = true
				break
			}
			lines, servers[name] = append(lines, l), rest[1:]
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.path, b.path)) })
	var text strings.Builder
	text.WriteString(introduction + "\nThe tools, as TypeScript:")
	for _, l := range lines {
		text.WriteString("\n" + l.text)
	}
	if more := len(callable) - len(lines); more > 0 {
		fmt.Fprintf(&text, "\n%d more: find them with tools.search.", more)
	}
	return text.String()
}

// maxAbout limits what a line says about a tool, in bytes.
const maxAbout = 100

// lineOf returns the line of a tool. It has the name if the path does not show it.
func lineOf(s tool.Spec) line {
	path := signature.Path(s)
	about, _, _ := strings.Cut(s.Description, "\n")
	about, _, _ = strings.Cut(about, ". ")
	about = plaintext.Short(strings.TrimSuffix(about, "."), maxAbout)
	if shown := strings.TrimPrefix(s.Name, "mcp__"+s.Server+"__"); shown != path[strings.LastIndex(path, ".")+1:] {
		about = "the tool " + s.Name + ": " + about
	}
	return line{s.Server, path, signature.Of(s, "") + " // " + about}
}

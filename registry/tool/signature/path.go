package signature

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// keywords are the words of Python that cannot be names.
var keywords = strings.Fields("and as assert async await break class continue def del elif else except finally for from global if " +
	"import in is lambda nonlocal not or pass raise return try while with yield")

// taken are names that have another meaning below "tools".
var taken = []string{"search", "call", "then"}

// Path returns the path by which scripts call a tool as a function below "tools". Its parts are
// identifiers of JavaScript and Python: mcp__github__list-issues of the server github becomes
// github.list_issues. Different tools may have the same path. Scripts then call them by their
// names.
func Path(s tool.Spec) string {
	if own, ok := strings.CutPrefix(s.Name, "mcp__"+s.Server+"__"); ok && s.Server != "" && own != "" {
		return part(s.Server) + "." + part(own)
	}
	return part(s.Name)
}

// part turns a part of a tool's name into an identifier.
func part(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	if slices.Contains(keywords, name) || slices.Contains(taken, name) {
		name += "_"
	}
	return name
}

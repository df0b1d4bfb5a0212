// Package docs has the tables of keys in the documentation, for the schemas that editors use.
package docs

import (
	"embed"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

//go:embed manifest.md operator.md
var pages embed.FS

// row matches a row of a table of keys: key, type, default, range and meaning.
var row = lazyregexp.New("(?m)^\\| `([a-zA-Z0-9_.]+)` \\| [^|]+ \\|([^|]*)\\|([^|]*)\\|(.*)\\|$")

// link matches a link, which has no meaning outside the page.
var link = lazyregexp.New(`\[([^\]]+)\]\([^)]+\)`)

// Keys returns a function that returns the description of a key in the table of manifest.md or
// operator.md, as Markdown. It returns "" for other keys.
func Keys(page string) func(key string) string {
	text, _ := pages.ReadFile(page) // cannot fail for the embedded pages
	described := make(map[string]string)
	for _, m := range row.Regexp().FindAllStringSubmatch(link.Regexp().ReplaceAllString(string(text), "$1"), -1) {
		about := strings.TrimSpace(m[4])
		if value := strings.TrimSpace(m[2]); value != "" && !strings.HasPrefix(value, "required") {
			about += "\n\nDefault: " + value + "."
		}
		if values := strings.TrimSpace(m[3]); values != "" {
			about += "\n\nRange: " + values + "."
		}
		described[m[1]] = strings.TrimSpace(about)
	}
	return func(key string) string { return described[key] }
}

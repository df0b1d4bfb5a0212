package capability

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// methodGet is what a tool gets that asks for no method.
const methodGet = "GET"

// knownMethods are those of HTTP that a guest can ask for, and of WebDAV. CONNECT,
// TRACE and made-up ones have no use that is not an attack or a slip.
var knownMethods = []string{
	methodGet, "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY",
	"PROPFIND", "PROPPATCH", "REPORT", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK",
}

// checkMethods refuses unknown methods and ones given twice.
func checkMethods(list []string) error {
	for i, m := range list {
		if slices.Contains(list[:i], m) {
			return fmt.Errorf("the method %s is given twice; leave one out", m)
		}
		if slices.Contains(knownMethods, m) {
			continue
		}
		if near := suggest.Nearest(m, knownMethods); near != "" {
			return fmt.Errorf("%s is no method; did you mean %s?", shown(m), near)
		}
		return fmt.Errorf("%s is no method that can be granted; write one of %s", shown(m), strings.Join(knownMethods, ", "))
	}
	return nil
}

// sharedMethods returns what is in both lists, in the order of asked. An empty offered
// is every method.
func sharedMethods(asked, offered []string) []string {
	var shared []string
	for _, m := range asked {
		if len(offered) == 0 || slices.Contains(offered, m) {
			shared = append(shared, m)
		}
	}
	return shared
}

// containsAll reports whether every element of inner is in outer.
func containsAll(outer, inner []string) bool {
	return !slices.ContainsFunc(inner, func(m string) bool { return !slices.Contains(outer, m) })
}

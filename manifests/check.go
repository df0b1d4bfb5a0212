package manifests

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// checker collects the faults of one manifest.
type checker struct {
	file string
	doc  document
	// root is the parsed file, nil when it is not TOML.
	root   *node
	faults []fault
	// uses are the placeholders met so far, and warm the arguments of the warm-up, nil
	// for none. Both are checked when the parameters are known.
	uses []use
	warm json.RawMessage
}

// use is a place that names parameters.
type use struct {
	at    place
	names []string
}

// fault is a fault before its line and column are known.
type fault struct {
	at      place
	message string
}

// fault records a fault at a place.
func (c *checker) fault(at place, format string, args ...any) {
	c.faults = append(c.faults, fault{at, fmt.Sprintf(format, args...)})
}

// maxErrors is how many faults of one file are listed. Only a file that was made
// to be wrong has more, and its report must stay small. Finding a line and column
// takes time linear in the line, so it is done for the listed ones alone.
const maxErrors = 100

// err returns the faults in the order of the file as Errors, or nil for none.
func (c *checker) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(c.faults, func(a, b fault) int { return cmp.Compare(a.at.offset, b.at.offset) })
	var errs Errors
	for i, f := range c.faults {
		key := f.at.key
		if i == maxErrors {
			key, f.message = "", fmt.Sprintf("%d more faults from here on are not listed", len(c.faults)-i)
		}
		line, column := c.doc.position(f.at.offset)
		errs = append(errs, &Error{File: c.file, Line: line, Column: column, Key: key, Message: f.message})
		if i == maxErrors {
			break
		}
	}
	return errs
}

// at returns the place of a key or list element, counted from the root.
func (c *checker) at(steps ...string) place {
	return c.root.locate(place{offset: wholeFile}, steps...)
}

// table checks a table against the keys that it may have.
func (c *checker) table(at place, n *node, keys []key) {
	for _, m := range n.members {
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == m.name })
		if i < 0 {
			c.unknown(at.member(m.name, m.offset), m.name, keys)
			continue
		}
		c.key(at.member(m.name, m.value.offset), m.value, keys[i])
	}
	for _, k := range keys {
		if k.required != "" && n.get(k.name) == nil {
			c.fault(at.member(k.name, n.offset), "missing; add %s", k.required)
		}
	}
}

// key checks the value of one key.
func (c *checker) key(at place, n *node, k key) {
	if n.kind != k.want.kind() {
		c.mismatch(at, n, k)
		return
	}
	switch k.want {
	case wantTable:
		c.table(at, n, k.members())
	case wantTables:
		if !c.fewEnough(at, n) {
			return
		}
		for i, item := range n.items {
			at := at.item(i, item.offset)
			keys := k.members() // for every element, so that indices in the manifest agree
			if item.kind != kindTable {
				c.fault(at, "expected a table, got %s; write its keys in braces", item.kind)
				continue
			}
			c.table(at, item, keys)
		}
	default:
		k.read(at, n)
	}
}

// mismatch reports a value of the wrong type, with what to write instead.
func (c *checker) mismatch(at place, n *node, k key) {
	scalar := n.kind != kindTable && n.kind != kindList
	fix := ""
	switch k.want {
	case wantText:
		fix = "write one text in quotes"
		if scalar {
			fix = "write " + quote(n.text)
		}
		if k.unit != nil && (n.kind == kindInteger || n.kind == kindFloat) {
			fix = "write " + quote(k.unit(n.text))
		}
	case wantTexts:
		fix = "write a list of texts in quotes"
		if n.kind == kindString {
			fix = "write [" + quote(n.text) + "]"
		}
	case wantFlag:
		fix = "write true or false, without quotes"
	case wantInteger:
		fix = "write a whole number in digits alone, such as 10_000"
		if k.required != "" {
			fix = "write " + k.required
		}
	case wantTable, wantJSON:
		fix = "write [" + at.key + "] on a line of its own, and its keys below"
	case wantTables:
		fix = "write [[" + at.key + "]] on a line of its own, and its keys below"
	}
	c.fault(at, "expected %s, got %s; %s", k.want.kind(), n.kind, fix)
}

// unknown reports a key that a table does not have, with the one that was meant.
func (c *checker) unknown(at place, name string, keys []key) {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	near := suggest.Nearest(name, names)
	if strings.EqualFold(near, name) {
		c.fault(at, "unknown key; keys are written in lower case, write %q", near)
		return
	}
	if homes := homesOf(name, c.keys(new(Manifest)), ""); len(homes) > 0 {
		c.fault(at, "unknown key here; it belongs %s", strings.Join(homes, " or "))
		return
	}
	if near != "" {
		c.fault(at, "unknown key; did you mean %q?", near)
		return
	}
	c.fault(at, "unknown key; the keys here are %s", strings.Join(names, ", "))
}

// homesOf returns where in the file the key of that name has its place.
func homesOf(name string, keys []key, table string) []string {
	var homes []string
	for _, k := range keys {
		if k.name == name {
			home := "in " + table
			if table == "" {
				home = "at the top of the file, before the first [table]"
			}
			homes = append(homes, home)
		}
		switch k.want {
		case wantTable:
			homes = append(homes, homesOf(name, k.members(), "["+k.path+"]")...)
		case wantTables:
			homes = append(homes, homesOf(name, k.members(), "[["+k.path+"]]")...)
		}
	}
	return homes
}

// maxItems is the ceiling of every list of the format.
const maxItems = 64

func (c *checker) fewEnough(at place, n *node) bool {
	if len(n.items) > maxItems {
		c.fault(at, "holds %d elements; the ceiling is %d", len(n.items), maxItems)
		return false
	}
	return true
}

// placeholders notes the parameters that the text at a place names.
func (c *checker) placeholders(at place, names []string) {
	if len(names) > 0 {
		c.uses = append(c.uses, use{at, names})
	}
}

// oneOf ends an error about a word that is none of the words known.
func oneOf(word string, words []string) string {
	if near := suggest.Nearest(word, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return "write " + strings.Join(quoted, " or ")
}

package stricttoml

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// MaxErrors is how many faults of one file are listed. Only a file that was made
// to be wrong has more, and its report must stay small. Finding a line and column
// takes time linear in the line, so it is done for the listed ones alone.
const MaxErrors = 100

// Format is a kind of file.
type Format struct {
	// Name is what such a file is called, such as "a manifest".
	Name string
	// MaxBytes is the largest file, and MaxItems the longest list.
	MaxBytes, MaxItems int
	// Shrink says what to do about a file that is too large.
	Shrink string
	// Keys returns the top level of the format. What its readers are given is thrown
	// away: this is to tell where a key belongs.
	Keys func() []Key
}

// Checker collects the faults of one file. It is not safe for concurrent use.
type Checker struct {
	format Format
	file   string
	doc    document
	root   *Node
	faults []fault
	// hidden are the places whose text holds a character that is not shown.
	hidden map[Place]bool
}

// fault is a fault before its line and column are known.
type fault struct {
	at      Place
	message string
}

// New parses a file; file is its name in errors. The Checker's Root is nil when the
// text is not TOML, and the fault is recorded.
func New(file string, text []byte, format Format) *Checker {
	c := &Checker{format: format, file: file}
	if len(text) > format.MaxBytes {
		c.Fault(Place{Offset: WholeFile}, "larger than %s, the ceiling of %s; %s", FormatSize(uint64(format.MaxBytes)), format.Name, format.Shrink)
		return c
	}
	c.doc = newDocument(text)
	root, err := parse(c.doc, format.Shrink)
	if err != nil {
		var fault *syntaxError
		errors.As(err, &fault)
		c.Fault(Place{Offset: fault.offset}, "%s", fault.message)
		return c
	}
	c.root = root
	return c
}

// Root returns the parsed file, nil when it is not TOML.
func (c *Checker) Root() *Node { return c.root }

// Read checks the whole file against the keys that it may have, and its texts for characters
// that are not shown.
func (c *Checker) Read(keys []Key) {
	c.judge()
	c.table(Place{Offset: WholeFile}, c.root, keys)
}

// Fault records a fault at a place, unless its text holds a character that is not shown: what
// else is wrong with it comes from that.
func (c *Checker) Fault(at Place, format string, args ...any) {
	if c.hidden[at] {
		return
	}
	c.faults = append(c.faults, fault{at, fmt.Sprintf(format, args...)})
}

// Faulty reports whether there is a fault so far at a place or below it.
func (c *Checker) Faulty(at Place) bool {
	return slices.ContainsFunc(c.faults, func(f fault) bool {
		rest, ok := strings.CutPrefix(f.at.Key, at.Key)
		return ok && (rest == "" || at.Key == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// Err returns the faults in the order of the file as Errors, or nil for none.
func (c *Checker) Err() error {
	if len(c.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(c.faults, func(a, b fault) int { return cmp.Compare(a.at.Offset, b.at.Offset) })
	var errs Errors
	for i, f := range c.faults {
		key := f.at.Key
		if i == MaxErrors {
			key, f.message = "", fmt.Sprintf("%d more faults from here on are not listed", len(c.faults)-i)
		}
		line, column := c.Position(f.at)
		errs = append(errs, &Error{File: c.file, Line: line, Column: column, Key: key, Message: f.message})
		if i == MaxErrors {
			break
		}
	}
	return errs
}

// At returns the place of a key or list element, counted from the root.
func (c *Checker) At(steps ...string) Place {
	return c.root.Locate(Place{Offset: WholeFile}, steps...)
}

// Position returns the line and column of a place, both from 1; the column counts
// characters. Both are 0 for the whole file.
func (c *Checker) Position(at Place) (line, column int) { return c.doc.position(at.Offset) }

// table checks a table against the keys that it may have.
func (c *Checker) table(at Place, n *Node, keys []Key) {
	for _, m := range n.Members {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == m.Name })
		if i < 0 {
			c.unknown(at.Member(m.Name, m.Offset), m.Name, keys)
			continue
		}
		c.key(at.Member(m.Name, m.Value.Offset), m.Value, keys[i])
	}
	for _, k := range keys {
		if k.Required != "" && n.Get(k.Name) == nil {
			c.Fault(at.Member(k.Name, n.Offset), "missing; add %s", k.Required)
		}
	}
}

// key checks the value of one key.
func (c *Checker) key(at Place, n *Node, k Key) {
	if !k.takes(n) && k.Or != nil && k.Or.takes(n) {
		k = *k.Or
	}
	switch {
	case !k.takes(n):
		c.mismatch(at, n, k)
	case k.Want == WantTable:
		c.table(at, n, k.Members())
		k.read(at, n)
	case k.Want == WantTables:
		c.tables(at, n, k)
	case k.Want == WantNamed:
		c.named(at, n, k)
	default:
		k.read(at, n)
	}
}

func (k Key) read(at Place, n *Node) {
	if k.Read != nil {
		k.Read(at, n)
	}
}

// tables checks a list of tables.
func (c *Checker) tables(at Place, n *Node, k Key) {
	if !c.fewEnough(at, n) {
		return
	}
	for i, item := range n.Items {
		at := at.Item(i, item.Offset)
		keys := k.Members() // for every element, so that indices in what is read agree
		if item.Kind != KindTable {
			c.Fault(at, "expected a table, got %s; write its keys in braces", item.Kind)
			continue
		}
		c.table(at, item, keys)
		k.read(at, item)
	}
}

// named checks a table whose keys are names.
func (c *Checker) named(at Place, n *Node, k Key) {
	for _, m := range n.Members {
		if k.Check != nil {
			if err := k.Check(m.Name); err != nil {
				c.Fault(at.Member(m.Name, m.Offset), "%s", err)
				continue
			}
		}
		c.key(at.Member(m.Name, m.Value.Offset), m.Value, k.Entry(m.Name))
	}
	k.read(at, n)
}

// mismatch reports a value of the wrong type, with what to write instead.
func (c *Checker) mismatch(at Place, n *Node, k Key) {
	want := k.Want.kind().String()
	if k.Or != nil {
		want += " or " + k.Or.Want.kind().String()
	}
	c.Fault(at, "expected %s, got %s; %s", want, n.Kind, k.fix(at, n))
}

// fix says what to write in place of a value of the wrong type.
func (k Key) fix(at Place, n *Node) string {
	if k.Fix != "" {
		return k.Fix
	}
	header := indices.ReplaceAllString(at.Key, "")
	switch k.Want {
	case WantText:
		if k.Unit != nil && (n.Kind == KindInteger || n.Kind == KindFloat) {
			return "write " + Quote(k.Unit(n.Text))
		}
		if n.Kind != KindTable && n.Kind != KindList {
			return "write " + Quote(n.Text)
		}
		return "write one text in quotes"
	case WantTexts:
		if n.Kind == KindString {
			return "write [" + Quote(n.Text) + "]"
		}
		return "write a list of texts in quotes"
	case WantFlag:
		return "write true or false, without quotes"
	case WantInteger:
		if k.Required != "" {
			return "write " + k.Required
		}
		return "write a whole number in digits alone, such as 10_000"
	case WantTables:
		return "write [[" + header + "]] on a line of its own, and its keys below"
	}
	return "write [" + header + "] on a line of its own, and its keys below"
}

// indices are what a header does not have of a place.
var indices = regexp.MustCompile(`\[[0-9]+\]`)

// unknown reports a key that a table does not have, with the one that was meant.
func (c *Checker) unknown(at Place, name string, keys []Key) {
	names := each.Of(keys, func(k Key) string { return k.Name })
	near := suggest.Nearest(name, names)
	if strings.EqualFold(near, name) {
		c.Fault(at, "unknown key; keys are written in lower case, write %q", near)
		return
	}
	if near == name+"s" || name == near+"s" {
		c.Fault(at, "unknown key; did you mean %q?", near) // nearer than any other table
		return
	}
	if homes := homesOf(name, c.format.Keys(), ""); len(homes) > 0 {
		c.Fault(at, "unknown key here; it belongs %s", strings.Join(homes, " or "))
		return
	}
	if near != "" {
		c.Fault(at, "unknown key; did you mean %q?", near)
		return
	}
	c.Fault(at, "unknown key; the keys here are %s", strings.Join(names, ", "))
}

// homesOf returns where in the file the key of that name has its place.
func homesOf(name string, keys []Key, table string) []string {
	var homes []string
	for _, k := range keys {
		if k.Name == name {
			home := "in " + table
			if table == "" {
				home = "at the top of the file, before the first [table]"
			}
			homes = append(homes, home)
		}
		homes = append(homes, homesIn(name, k)...)
	}
	return homes
}

// homesIn returns where below a key the key of that name has its place.
func homesIn(name string, k Key) []string {
	if k.Or != nil {
		return homesIn(name, *k.Or)
	}
	switch k.Want {
	case WantTable:
		return homesOf(name, k.Members(), "["+k.Path+"]")
	case WantTables:
		return homesOf(name, k.Members(), "[["+k.Path+"]]")
	case WantNamed:
		return homesIn(name, k.Entry(AnyName))
	}
	return nil
}

// AnyName stands for a name in the Path of what is below a WantNamed.
const AnyName = "NAME"

func (c *Checker) fewEnough(at Place, n *Node) bool {
	if len(n.Items) > c.format.MaxItems {
		c.Fault(at, "holds %d elements; the ceiling is %d", len(n.Items), c.format.MaxItems)
		return false
	}
	return true
}

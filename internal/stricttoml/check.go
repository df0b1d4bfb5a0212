package stricttoml

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// MaxErrors limits how many errors of one file are listed. A file with more errors is probably
// hostile, and its report must stay small. Finding a line and column takes time linear in the
// length of the line, so only listed errors have them.
const MaxErrors = 100

// Format is a kind of file.
type Format struct {
	// Name is the kind of file in errors, such as "a manifest".
	Name string
	// MaxBytes limits the size of a file, and MaxItems the length of a list.
	MaxBytes, MaxItems int
	// Shrink says in errors what to do about a file that is too large.
	Shrink string
	// Keys returns the top level of the format. The Checker calls it to find where a misplaced key
	// belongs, and never calls the readers of these keys.
	Keys func() []Key
	// OtherNames has answers to keys of other systems, by the whole key such as "rest.url", in
	// lower case, without "_" and "-". An answer says in one clause what to write instead. In a
	// table whose keys the author chooses, it applies to a value of the wrong type.
	OtherNames map[string]string
}

// Checker collects the errors of one file. It is not safe for concurrent use.
type Checker struct {
	format Format
	file   string
	doc    document
	root   *Node
	found  []placedError
	// hidden holds the places of keys and strings with a character that is not shown.
	hidden map[Place]bool
}

// placedError is an error whose line and column are not computed yet.
type placedError struct {
	at      Place
	message string
}

// New parses a file; file is its name in errors. When the file is not TOML, the error is recorded
// and Root returns nil.
func New(file string, text []byte, format Format) *Checker {
	c := &Checker{format: format, file: file}
	if len(text) > format.MaxBytes {
		c.Errorf(Place{Offset: WholeFile}, "larger than %s, the limit for %s; %s", FormatSize(uint64(format.MaxBytes)), format.Name, format.Shrink)
		return c
	}
	c.doc = newDocument(text)
	root, err := parse(c.doc, format.Shrink)
	if err != nil {
		var syntax *syntaxError
		errors.As(err, &syntax)
		c.Errorf(Place{Offset: syntax.offset}, "%s", syntax.message)
		return c
	}
	c.root = root
	return c
}

// Root returns the parsed file, or nil when it is not TOML.
func (c *Checker) Root() *Node { return c.root }

// Read checks the whole file against the keys that it may have, and its keys, strings and
// comments for characters that are not shown.
func (c *Checker) Read(keys []Key) {
	c.checkHidden()
	c.table(Place{Offset: WholeFile}, c.root, keys)
}

// Errorf records an error at a place. It records nothing where a character that is not shown was
// reported, because that character causes the other errors.
func (c *Checker) Errorf(at Place, format string, args ...any) {
	if c.hidden[at] {
		return
	}
	c.found = append(c.found, placedError{at, fmt.Sprintf(format, args...)})
}

// HasError reports whether an error was recorded so far at a place or below it.
func (c *Checker) HasError(at Place) bool {
	return slices.ContainsFunc(c.found, func(e placedError) bool {
		rest, ok := strings.CutPrefix(e.at.Key, at.Key)
		return ok && (rest == "" || at.Key == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// Err returns the recorded errors in the order of the file as Errors, or nil for none.
func (c *Checker) Err() error {
	if len(c.found) == 0 {
		return nil
	}
	slices.SortStableFunc(c.found, func(a, b placedError) int { return cmp.Compare(a.at.Offset, b.at.Offset) })
	var errs Errors
	for i, e := range c.found {
		key := e.at.Key
		if i == MaxErrors {
			key, e.message = "", fmt.Sprintf("%d more errors from here on are not listed", len(c.found)-i)
		}
		line, column := c.Position(e.at)
		errs = append(errs, &Error{File: c.file, Line: line, Column: column, Key: key, Message: e.message})
		if i == MaxErrors {
			break
		}
	}
	return errs
}

// At returns the place of a key or list element, given the steps from the root.
func (c *Checker) At(steps ...string) Place {
	return c.root.Locate(Place{Offset: WholeFile}, steps...)
}

// Position returns the line and column of a place. Both start at 1, and the column counts
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
			c.Errorf(at.Member(k.Name, n.Offset), "missing; add %s", k.Required)
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
	case k.Want == WantMap:
		c.entries(at, n, k)
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
	if !c.checkLength(at, n) {
		return
	}
	for i, item := range n.Items {
		at := at.Item(i, item.Offset)
		// Call Members even for an element that is not a table, so that later indices are right.
		keys := k.Members()
		if item.Kind != KindTable {
			c.Errorf(at, "expected a table, got %s; write its keys in braces", item.Kind)
			continue
		}
		c.table(at, item, keys)
		k.read(at, item)
	}
}

// entries checks a table whose keys the author of the file chooses.
func (c *Checker) entries(at Place, n *Node, k Key) {
	for _, m := range n.Members {
		if k.Check != nil {
			if err := k.Check(m.Name); err != nil {
				c.Errorf(at.Member(m.Name, m.Offset), "%s", err)
				continue
			}
		}
		c.key(at.Member(m.Name, m.Value.Offset), m.Value, k.Entry(m.Name))
	}
	k.read(at, n)
}

// mismatch reports a value of the wrong type and describes a valid value.
func (c *Checker) mismatch(at Place, n *Node, k Key) {
	want := k.Want.kind().String()
	if k.Or != nil {
		want += " or " + k.Or.Want.kind().String()
	}
	c.Errorf(at, "expected %s, got %s; %s", want, n.Kind, cmp.Or(c.format.OtherNames[bare(at.Key)], k.fix(at, n)))
}

// fix returns an instruction for the error about a value of the wrong type, such as "write true or
// false, without quotes".
func (k Key) fix(at Place, n *Node) string {
	if k.Fix != "" {
		return k.Fix
	}
	header := indices.Regexp().ReplaceAllString(at.Key, "")
	switch k.Want {
	case WantString:
		if k.Unit != nil && (n.Kind == KindInteger || n.Kind == KindFloat) {
			return "write " + Quote(k.Unit(n.Text))
		}
		if n.Kind != KindTable && n.Kind != KindList {
			return "write " + Quote(n.Text)
		}
		return "write one string in quotes"
	case WantStrings:
		if n.Kind == KindString {
			return "write [" + Quote(n.Text) + "]"
		}
		return "write a list of strings in quotes"
	case WantBool:
		return "write true or false, without quotes"
	case WantInteger:
		if k.Required != "" {
			return "write " + k.Required
		}
		return "write a whole number in digits, such as 10_000"
	case WantTables:
		return "write [[" + header + "]] on a line of its own, and its keys below"
	}
	return "write [" + header + "] on a line of its own, and its keys below"
}

// indices matches the parts of a Place.Key that are not part of a [header].
var indices = lazyregexp.New(`\[[0-9]+\]`)

// unknown reports a key that a table does not have. It suggests the key or table that the author of
// the file most likely meant.
func (c *Checker) unknown(at Place, name string, keys []Key) {
	names := each.Of(keys, func(k Key) string { return k.Name })
	near := suggest.Nearest(name, names)
	if strings.EqualFold(near, name) {
		c.Errorf(at, "unknown key; keys are written in lower case, write %q", near)
		return
	}
	if meant := c.format.OtherNames[bare(at.Key)]; meant != "" {
		c.Errorf(at, "unknown key; %s", meant)
		return
	}
	if near == name+"s" || name == near+"s" {
		// A plural or singular of a known key is a more likely mistake than a key in the wrong
		// table.
		c.Errorf(at, "unknown key; did you mean %q?", near)
		return
	}
	if homes := homesOf(name, c.format.Keys(), ""); len(homes) > 0 {
		c.Errorf(at, "unknown key here; it belongs %s", strings.Join(homes, " or "))
		return
	}
	if near != "" {
		c.Errorf(at, "unknown key; did you mean %q?", near)
		return
	}
	c.Errorf(at, "unknown key; the keys here are %s", strings.Join(names, ", "))
}

// bare returns a key in lower case, without "_" and "-".
func bare(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// homesOf returns the places in the file where a key of that name is allowed.
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

// homesIn returns the places below k where a key of that name is allowed.
func homesIn(name string, k Key) []string {
	if k.Or != nil {
		return homesIn(name, *k.Or)
	}
	switch k.Want {
	case WantTable:
		return homesOf(name, k.Members(), "["+k.Path+"]")
	case WantTables:
		return homesOf(name, k.Members(), "[["+k.Path+"]]")
	case WantMap:
		return homesIn(name, k.Entry(AnyName))
	}
	return nil
}

// AnyName stands for a name that the author of the file chooses, in the Path of a key below a
// WantMap.
const AnyName = "NAME"

// checkLength reports whether a list is short enough, and records an error if not.
func (c *Checker) checkLength(at Place, n *Node) bool {
	if len(n.Items) > c.format.MaxItems {
		c.Errorf(at, "has %d elements; the limit is %d", len(n.Items), c.format.MaxItems)
		return false
	}
	return true
}

package stricttoml

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// shop is the result of reading a file in the format of these tests.
type shop struct {
	name   string
	open   bool
	shelf  map[string]string
	tags   []string
	orders []order
	done   []string
}

type order struct{ count uint64 }

// shopKeys returns a format with every shape.
func shopKeys(c *Checker, s *shop) []Key {
	note := func(at Place, _ *Node) { s.done = append(s.done, at.Key) }
	shelf := func(name string) Key {
		store := func(_ Place, n *Node) { s.shelf[name] = n.Text }
		return Key{Want: WantString, Read: store, Fix: "write true or a string", Or: &Key{Want: WantBool, Read: store}}
	}
	return []Key{
		{Name: "name", Want: WantString, Required: `name = "x"`, Read: ReadString(c, &s.name, func(text string) (string, error) {
			value, err := ParseChoice(text, "corner", "street")
			return value[:min(len(value), 1)], err
		})},
		{Name: "open", Want: WantBool, Read: ReadBool(&s.open)},
		{Name: "tags", Want: WantStrings, Read: ReadStrings(c, &s.tags, func(text string) (string, error) {
			if text == "" {
				return "", errors.New("is empty")
			}
			return text, nil
		})},
		{Name: "any", Want: WantAny, Read: note},
		{Name: "json", Want: WantJSON, Read: note},
		{Name: "shelf", Path: "shelf", Want: WantMap, Check: func(name string) error {
			if name == "bad" {
				return errors.New("is a bad name")
			}
			return nil
		}, Entry: shelf, Read: note},
		{Name: "orders", Path: "orders", Want: WantTables, Read: note, Members: func() []Key {
			s.orders = append(s.orders, order{})
			o := &s.orders[len(s.orders)-1]
			return []Key{{Name: "count", Want: WantInteger, Read: ReadCount(c, &o.count, 1, 20_000)}}
		}},
		{Name: "rooms", Path: "rooms", Want: WantMap, Entry: func(string) Key {
			return Key{Path: "rooms.NAME", Want: WantTable, Members: func() []Key {
				return []Key{{Name: "width", Want: WantInteger, Read: ReadCount(c, new(int), 1, 9)}}
			}}
		}},
	}
}

func readShop(text string) (*shop, error) {
	s := &shop{shelf: map[string]string{}}
	c := New("shop.toml", []byte(text), Format{
		Name: "a shop", MaxBytes: 1000, MaxItems: 3, Shrink: "sell something",
		Keys: func() []Key { return shopKeys(nil, &shop{shelf: map[string]string{}}) },
	})
	if c.Root() != nil {
		c.Read(shopKeys(c, s))
	}
	return s, c.Err()
}

func TestRead(t *testing.T) {
	got, err := readShop(`
name = "corner"
open = true
tags = ["a", "b"]
any = 5
json = { x = 1 }
[shelf]
bread = "rye"
"white wine" = true
[[orders]]
count = 0x10
[[orders]]
[rooms.back]
width = 3
`)
	if err != nil {
		t.Fatal(err)
	}
	want := &shop{
		name: "c", open: true, tags: []string{"a", "b"},
		shelf:  map[string]string{"bread": "rye", "white wine": "true"},
		orders: []order{{16}, {}},
		done:   []string{"any", "json", "shelf", "orders[0]", "orders[1]"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Each file has one error, which is compared as a whole.
func TestErrors(t *testing.T) {
	const head = "name = \"street\"\n"
	for _, tt := range []struct{ text, want string }{
		{"", `shop.toml: name: missing; add name = "x"`},
		{`name = "steret"`, `shop.toml:1:8: name: "steret" is not a valid value; did you mean "street"?`},
		{`name = "x"`, `shop.toml:1:8: name: "x" is not a valid value; write "corner" or "street"`},
		{`name = 1_0`, `shop.toml:1:8: name: expected a string, got an integer; write "1_0"`},
		{`name = []`, `shop.toml:1:8: name: expected a string, got a list; write one string in quotes`},
		{head + "Open = true", `shop.toml:2:1: Open: unknown key; keys are written in lower case, write "open"`},
		{head + "tgas = 1", `shop.toml:2:1: tgas: unknown key; did you mean "tags"?`},
		{head + "count = 1", `shop.toml:2:1: count: unknown key here; it belongs in [[orders]]`},
		{head + "width = 1", `shop.toml:2:1: width: unknown key here; it belongs in [rooms.NAME]`},
		{head + "[rooms.x]\nopen = true", `shop.toml:3:1: rooms.x.open: unknown key here; it belongs at the top of the file, before the first [table]`},
		{head + "[rooms.x]\nzzz = true", `shop.toml:3:1: rooms.x.zzz: unknown key; the keys here are width`},
		{head + "open = 1", `shop.toml:2:8: open: expected true or false, got an integer; write true or false, without quotes`},
		{head + `tags = "a"`, `shop.toml:2:8: tags: expected a list, got a string; write ["a"]`},
		{head + `tags = true`, `shop.toml:2:8: tags: expected a list, got true or false; write a list of strings in quotes`},
		{head + `tags = ["a", "a"]`, `shop.toml:2:14: tags[1]: "a" is listed twice; keep one`},
		{head + `tags = [1]`, `shop.toml:2:9: tags[0]: expected a string, got an integer; write it in quotes`},
		{head + `tags = [""]`, `shop.toml:2:9: tags[0]: is empty`},
		{head + `tags = ["a", "b", "c", "d"]`, `shop.toml:2:8: tags: has 4 elements; the limit is 3`},
		{head + "json = 1", `shop.toml:2:8: json: expected a table, got an integer; write [json] on a line of its own, and its keys below`},
		{head + "[shelf]\nbad = true", `shop.toml:3:1: shelf.bad: is a bad name`},
		{head + "shelf.x = 1", `shop.toml:2:11: shelf.x: expected a string or true or false, got an integer; write true or a string`},
		{head + "shelf = 1", `shop.toml:2:9: shelf: expected a table, got an integer; write [shelf] on a line of its own, and its keys below`},
		{head + "orders = {}", `shop.toml:2:10: orders: expected a list, got a table; write [[orders]] on a line of its own, and its keys below`},
		{head + "orders = [1]", `shop.toml:2:11: orders[0]: expected a table, got an integer; write its keys in braces`},
		{head + "orders = [{}, {}, {}, {}]", `shop.toml:2:10: orders: has 4 elements; the limit is 3`},
		{head + "orders = [{}, {count = 0}]", `shop.toml:2:24: orders[1].count: 0 is out of range; write a whole number from 1 to 20_000`},
		{head + "orders = [{count = 1.5}]", `shop.toml:2:20: orders[0].count: expected an integer, got a decimal number; write a whole number in digits, such as 10_000`},
		{strings.Repeat("#", 1001), `shop.toml: larger than 1000B, the limit for a shop; sell something`},
		{"a = 1\na = 2", `shop.toml:2:1: "a" is defined twice, first in line 1 as an integer; keep one of the two`},
		{"a = ", `shop.toml:1:5: not valid TOML: expected a value, got the end of the file`},
	} {
		if _, err := readShop(tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("%s\ngives %v\nwant  %s", tt.text, err, tt.want)
		}
	}
}

// A list element that is not a table still takes up an index in the result. The indices in later
// errors are therefore right.
func TestReadKeepsIndices(t *testing.T) {
	s, err := readShop("name = \"corner\"\norders = [1, {count = 2}]")
	if err == nil || len(s.orders) != 2 || s.orders[1].count != 2 {
		t.Errorf("got %+v, %v", s.orders, err)
	}
}

func TestHasError(t *testing.T) {
	c := New("x.toml", []byte("[a]\nb = 1\nbc = 2\n[d]"), Format{MaxBytes: 100})
	if c.HasError(c.At()) {
		t.Error("a file without errors has one")
	}
	c.Errorf(c.At("a", "bc").Item(0, 0), "is wrong")
	for steps, want := range map[string]bool{"": true, "a": true, "a b": false, "a bc": true, "d": false} {
		if got := c.HasError(c.At(strings.Fields(steps)...)); got != want {
			t.Errorf("HasError(%q) = %v, want %v", steps, got, want)
		}
	}
}

func TestErrorsUnwrap(t *testing.T) {
	_, err := readShop("x = 1\ny = 2\n")
	var first *Error
	if !errors.As(err, &first) || first.Key != "name" {
		t.Errorf("errors.As finds %+v in %v", first, err)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 {
		t.Errorf("%d lines in %q, want one for each error", len(lines), err)
	}
}

func TestAt(t *testing.T) {
	c := New("x.toml", []byte("[a]\nb = [1, { c = 2 }]\n"), Format{MaxBytes: 100})
	for steps, want := range map[string]string{
		"a": "a 1:2", "a b": "a.b 2:5", "a b 1 c": "a.b[1].c 2:15", "a b 7": "a.b 2:5", "x": " 0:0",
	} {
		at := c.At(strings.Fields(steps)...)
		line, column := c.Position(at)
		if got := fmt.Sprintf("%s %d:%d", at.Key, line, column); got != want {
			t.Errorf("At(%s) is %q, want %q", steps, got, want)
		}
	}
}

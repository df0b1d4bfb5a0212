package stricttoml

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

func TestJSONIsExact(t *testing.T) {
	for _, tc := range []struct{ toml, want string }{
		{"x = 9_007_199_254_740_993", `{"x":9007199254740993}`},
		{"x = +5", `{"x":5}`},
		{"x = -0", `{"x":0}`},
		{"x = 0xDEAD_beef", `{"x":3735928559}`},
		{"x = 0o17", `{"x":15}`},
		{"x = 0b1111_0000", `{"x":240}`},
		{"x = 0x7fffffffffffffff", `{"x":9223372036854775807}`},
		{"x = -9223372036854775808", `{"x":-9223372036854775808}`},
		{"x = 0.10", `{"x":0.10}`},
		{"x = +1.5", `{"x":1.5}`},
		{"x = 3.141592653589793238462643383279", `{"x":3.141592653589793238462643383279}`},
		{"x = 1e+06", `{"x":1e+06}`},
		{"x = 1_0.2_5E-2", `{"x":10.25E-2}`},
		{"x = 5e-324", `{"x":5e-324}`},
		{"x = [true, false, [], {}]", `{"x":[true,false,[],{}]}`},
		{"z = 1\na = 2\nm = 3", `{"z":1,"a":2,"m":3}`},
		{"b.y = 1\na = 1\nb.x = 2", `{"b":{"y":1,"x":2},"a":1}`},
		{"[[t]]\nb = 1\n[[t]]\n[t.u]\na = 2", `{"t":[{"b":1},{"u":{"a":2}}]}`},
		{`x = "<&>\u2028\n\"é"`, `{"x":"<&>\u2028\n\"é"}`},
		{`"a.b" = {"" = 1}`, `{"a.b":{"":1}}`},
	} {
		c := New("x.toml", []byte(tc.toml), Format{MaxBytes: 1 << 20})
		if err := c.Err(); err != nil {
			t.Errorf("%s: %v", tc.toml, err)
			continue
		}
		if got, ok := c.JSON(Place{}, c.Root()); !ok || string(got) != tc.want {
			t.Errorf("%s\ngives %s, want %s", tc.toml, got, tc.want)
		}
	}
}

// FuzzParse compares the tree with what the library decodes.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a.b.c = 1\n[a.d]\nx = [1, {y = 2}]\n[[a.e]]\n[[a.e]]\nz = -1.5e3",
		"[a]\n[a.b]\n[[a.c]]\n[a.c.d]\nx = 1979-05-27T07:32:00Z\n[[a.c]]", "x = nan\ny = -inf\nz = 0o7",
		"a = {b.c = 1, b.d = 2}", "a = [[1], ['x', \"\"\"\ny\"\"\"]] # c", "[x]\n[x.y.z]\n[x.y]", "# only\n",
		"a = [ # comment\n 1, # two\n]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 {
			return
		}
		root, err := parse(newDocument([]byte(text)), "")
		var want map[string]any
		libraryErr := toml.Unmarshal([]byte(text), &want)
		if err != nil {
			return
		}
		if libraryErr != nil {
			t.Fatalf("accepted what the library refuses: %v", libraryErr)
		}
		if got := plain(t, root); !reflect.DeepEqual(got, normal(want)) {
			t.Errorf("tree is %v, library decodes %v", got, want)
		}
	})
}

// plain turns a tree into what normal makes of the library's values.
func plain(t *testing.T, n *Node) any {
	t.Helper()
	switch n.Kind {
	case KindTable:
		table := map[string]any{}
		for _, m := range n.Members {
			table[m.Name] = plain(t, m.Value)
		}
		return table
	case KindList:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, plain(t, item))
		}
		return list
	case KindString:
		return n.Text
	case KindBoolean:
		return n.Text == "true"
	case KindInteger, KindFloat:
		literal, ok := Number(n.Text)
		if !ok {
			return "not finite"
		}
		number, err := json.Number(literal).Float64()
		if err != nil {
			t.Fatalf("number %q: %v", n.Text, err)
		}
		return number
	}
	return "time"
}

func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		table := map[string]any{}
		for name, value := range v {
			table[name] = normal(value)
		}
		return table
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, normal(item))
		}
		return list
	case int64:
		return float64(v)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return "not finite"
		}
		return v
	case time.Time, toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		return "time"
	}
	return v
}

func TestPosition(t *testing.T) {
	doc := newDocument([]byte("é = 1\r\n\tx\n"))
	for _, tc := range []struct{ offset, line, column int }{
		{WholeFile, 0, 0},
		{0, 1, 1},
		{2, 1, 2}, // after the two bytes of é
		{8, 2, 1},
		{9, 2, 2}, // a tab is one column
		{11, 3, 1},
		{99, 3, 1},
	} {
		if line, column := doc.position(tc.offset); line != tc.line || column != tc.column {
			t.Errorf("position(%d) = %d:%d, want %d:%d", tc.offset, line, column, tc.line, tc.column)
		}
	}
}

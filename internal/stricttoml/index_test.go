package stricttoml

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// repeat formats each number below n and joins the results.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// hostile are files that are expensive for the library, or that come close to the bounds. err is ""
// for a valid file.
var hostile = []struct{ name, text, err string }{
	{"nested inline tables", "a=" + strings.Repeat("{a=", 60_000) + "1" + strings.Repeat("}", 60_000), "nested more than 100 levels deep"},
	{"nested lists", "a=" + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "nested more than 100 levels deep"},
	{"open brackets", "a=" + strings.Repeat("[", 250_000), "nested more than 100 levels deep"},
	{"lists and tables in turn", "a=" + strings.Repeat("[{a=", 40_000), "nested more than 100 levels deep"},
	{"dotted key", strings.Repeat("a.", 120_000) + "a=1", "nested more than 100 levels deep"},
	{"dotted header", "[" + strings.Repeat("a.", 120_000) + "a]", "nested more than 100 levels deep"},
	{"long key", strings.Repeat("a", 250_000) + "=1", "longer than 1024 bytes with the names of its tables; shorten them"},
	{"long key in quotes", `"` + strings.Repeat(`\u0001`, 40_000) + `"=1`, "longer than 1024 bytes with the names of its tables; shorten them"},
	{"long header and keys", "[" + strings.Repeat("a", 100_000) + "]\n" + repeat(10_000, "k%d=1\n"), "longer than 1024 bytes with the names of its tables; shorten them"},
	{"keys", repeat(20_000, "k%d=1\n"), "more than 4096 keys; leave some out"},
	{"headers", repeat(20_000, "[k%d]\n"), "more than 4096 keys; leave some out"},
	{"lists in a list", "a=[" + strings.Repeat("[],", 80_000) + "]", "more than 4096 keys; leave some out"},
	{"tables in a list", "a=[" + strings.Repeat("{},", 80_000) + "]", "more than 4096 keys; leave some out"},
	{"string without an end", `a="""` + strings.Repeat(`"\"`, 80_000), `not valid TOML: the string does not end; close it with """`},

	{"deepest tables", "a=[" + strings.Repeat(strings.Repeat("{a=", 49)+"1"+strings.Repeat("}", 49)+",", 40) + "]", ""},
	{"deepest dotted keys", repeat(40, strings.Repeat("a.", 99)+"b%d=1\n"), ""},
	{"deepest headers", repeat(40, "["+strings.Repeat("a.", 99)+"b%d]\n"), ""},
	{"keys below a long header", "[" + strings.Repeat("aaaaaaaaaaa.", 80) + "b]\n" + repeat(4000, "k%d=1\n"), ""},
	{"lists below a long header", "[" + strings.Repeat("aaaaaaaaaaa.", 80) + "b]\nk=[" + strings.Repeat("[[]],", 2000) + "]", ""},
	{"tables below a long header", "[" + strings.Repeat("aaaaaaaaaaa.", 80) + "b]\nk=[" + strings.Repeat("{a=1},", 2000) + "]", ""},
	{"keys with escapes", repeat(4096, "\"\\u00e9%d\"=1\n"), ""},
	{"long string", `a="""` + strings.Repeat("\\\n  ", 60_000) + `"""`, ""},
	{"long list", "a=[" + strings.Repeat("1,", 120_000) + "]", ""},
	{"long number", "a=0." + strings.Repeat("1", 250_000), ""},
	{"comments", strings.Repeat("#\n", 120_000), ""},
}

// maxCost limits the total bytes that are allocated to read a file of 256 KiB.
const maxCost = 64 << 20

func TestHostileFilesAreCheap(t *testing.T) {
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.text) > 256<<10 {
				t.Fatalf("the text has %d bytes, more than a manifest may have", len(tt.text))
			}
			var err error
			bytes := allocated(func() { _, err = parse(newDocument([]byte(tt.text)), "leave some out") })
			if message := fmt.Sprint(err); message != tt.err && (err != nil || tt.err != "") {
				t.Errorf("error is %s, want %q", message, tt.err)
			}
			if bytes > maxCost {
				t.Errorf("took %d MiB", bytes>>20)
			}
			t.Logf("%d KiB", bytes>>10)
		})
	}
}

// TestDisagreement reads a list that contains a table and a 1. The library decodes it to [{x = 1}],
// without the 1.
func TestDisagreement(t *testing.T) {
	_, err := readShop("name = \"corner\"\n[json]\n\"\" = [1, {x = 1}]\n")
	if want := "shop.toml:3:6: " + ambiguous; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// allocated returns about how many bytes a function allocates.
func allocated(f func()) uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	metrics.Read(sample)
	return sample[0].Value.Uint64() - before
}

// FuzzIndex checks that the index and the library agree about every file that the library accepts,
// and that reading is cheap for every file.
func FuzzIndex(f *testing.F) {
	for _, tt := range hostile {
		f.Add(tt.text[:min(len(tt.text), 4<<10)]) // longer seeds make fuzzing slow
	}
	for _, seed := range []string{
		"a.b.c = 1\n[a.d]\nx = [1, {y = 2}]\n[[a.e]]\n[[a.e]]\nz = -1.5e3",
		"[a]\n[a.b]\n[[a.c]]\n[a.c.d]\nx = 1979-05-27T07:32:00Z\n[[a.c]]", "x = nan\ny = -inf\nz = 0o7",
		"a = {b.c = 1, b.d = 2}", "a = [[1], ['x', \"\"\"\ny\"\"\"]] # c", "[x]\n[x.y.z]\n[x.y]", "# only\n",
		"a = [ # comment\n 1, # two\n]", "a = {\n b = 1, # one\n c = 2,\n}", "\"\" = [1, {x = 1}]", "[a]\n\"\" = [1, {x = 1}]", "a = 1979-05-27 07:32\r\n",
		"a = '''''x'''''\nb = \"\"\"\\\"\"\"\"\"", "a={}\n[a.b]", "[[a.b]]\n[a]\nb.c=1", "\"\\u00e9\\x41\\e\" = \"\\U0001F600\"", "[a.b.c]\n[a]\nb.d=1\n[a.b]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 256<<10 {
			return
		}
		var root *Node
		var err error
		if bytes := allocated(func() { root, err = parse(newDocument([]byte(text)), "") }); bytes > 2*maxCost {
			t.Errorf("took %d MiB", bytes>>20)
		}
		if err != nil && strings.Contains(err.Error(), "than") {
			return // the file exceeds a bound, so the library could take too long
		}
		values, _, ok := decode(text)
		switch {
		case err == nil && !ok:
			t.Error("accepted what the library refuses")
		case err == nil:
			checkLiterals(t, root, values)
		case ok && !refusedByUsAlone(text, err.Error()):
			t.Errorf("refused what the library accepts: %v", err)
		}
		var syntax *syntaxError
		if err != nil && (!errors.As(err, &syntax) || syntax.offset < 0 || syntax.offset > len(text)) {
			t.Errorf("%v has no place in the file", err)
		}
	})
}

// refusedByUsAlone reports whether the library is known to accept a file with this error. The
// library does not know all rules about tables, skips a byte order mark, and misreads a list with
// tables under an empty key.
func refusedByUsAlone(text, message string) bool {
	emptyKey := strings.Contains(text, `""`) || strings.Contains(text, "''")
	return strings.Contains(message, "is defined twice") || strings.Contains(message, "byte order mark") ||
		message == ambiguous && emptyKey
}

// checkLiterals compares the literals of a tree with the values that the library decoded. The
// method fill has already checked that the keys agree.
func checkLiterals(t *testing.T, n *Node, value any) {
	t.Helper()
	var same bool
	switch value := value.(type) {
	case map[string]any:
		for _, m := range n.Members {
			checkLiterals(t, m.Value, value[m.Name])
		}
		return
	case []map[string]any:
		for i, item := range n.Items {
			checkLiterals(t, item, value[i])
		}
		return
	case []any:
		for i, item := range n.Items {
			checkLiterals(t, item, value[i])
		}
		return
	case string:
		same = n.Text == value
	case bool:
		same = n.Text == fmt.Sprint(value)
	case int64:
		literal, ok := Number(n.Text)
		same = ok && literal == big.NewInt(value).String()
	case float64:
		got, err := floatOf(n.Text)
		same = err == nil && (got == value || math.IsNaN(got) && math.IsNaN(value))
	case time.Time:
		same = strings.HasPrefix(n.Text, value.Format("15:04")) || strings.HasPrefix(n.Text, value.Format("2006-01-02"))
	}
	if !same {
		t.Errorf("the literal %q stands for %v", n.Text, value)
	}
}

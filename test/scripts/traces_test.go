package scripts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// No call leaves a trace for the next one. A script reports everything that it can see of its
// interpreter, and then changes all of it. Every tenth call only reports. All reports are equal,
// and so is the fuel of these calls. Meanwhile, the host's memory does not grow. 'make soak' sets
// WASMTOOL_CALLS to the number of calls.
func TestTraces(t *testing.T) {
	calls := testlevel.Size(100, 500)
	if n, err := strconv.Atoi(os.Getenv("WASMTOOL_CALLS")); err == nil {
		calls = n
	}
	for _, l := range []language{python, javaScript} {
		t.Run(l.name, func(t *testing.T) {
			l.needs(t)
			files := l.tool("traces", readFile(t, "testdata/traces/tool."+l.end), tmp)
			files["other.js"] = readFile(t, "testdata/traces/other.js")
			lab := open(t, setup{}, map[string]map[string]string{"traces": files})
			first := lab.call(t, "", "traces", `{"n": 0}`)
			warm, began := 0, processorTime(t)
			for n := range calls {
				want, mark := first, n
				if n%10 == 0 {
					mark = 0
				}
				got := lab.call(t, "", "traces", fmt.Sprintf(`{"n": %d}`, mark))
				if mark > 0 {
					want.fuel = got.fuel
				}
				if got != want {
					t.Fatalf("call %d:\n got %+v\nwant %+v", n+1, got, want)
				}
				if n == calls/10 {
					warm = resident(t)
				}
			}
			used := (processorTime(t) - began) / int64(calls)
			if seen := lab.call(t, "", "traces", `{"n": 7, "again": true}`); first.code != "" || !strings.Contains(seen.structured, "mark 7") {
				t.Fatalf("the first call returned %+v; a report after the changes is %+v", first, seen)
			}
			if lines := lab.unsaved(); lines != nil {
				t.Errorf("%d starts were not saved: %s", len(lines), lines[0])
			}
			now := resident(t)
			t.Logf("%d calls of %d µs of processor time; %d MiB resident after a tenth of them, %d MiB at the end", calls, used/1e3, warm>>20, now>>20)
			if now > warm+64<<20 {
				t.Errorf("%d MiB are resident after a tenth of the calls, %d MiB at the end", warm>>20, now>>20)
			}
		})
	}
}

// tmp is the permission for temporary files.
const tmp = "[[permissions.fs]]\nmount = \"tmp\"\nmode = \"write\"\n"

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

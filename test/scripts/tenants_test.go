package scripts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// Tenants share no image: neither the seed of hash tables nor random numbers nor what a call
// changes. Of 1,000 calls, no two share a random value.
func TestTenantsShareNothing(t *testing.T) {
	for _, l := range []language{javaScript, python} {
		t.Run(l.name, func(t *testing.T) {
			l.needs(t)
			lab := hostile(t, l, "tenant."+l.end, nil)
			seen, hashes := make(map[string]bool), make(map[string][]string)
			for n := range 1000 {
				tenant := []string{"one", "two", "three"}[n%3]
				o := lab.call(t, tenant, "hostile", fmt.Sprintf(`{"mark": "%s %d"}`, tenant, n))
				var report [3][]any
				if err := json.Unmarshal([]byte(o.structured), &report); err != nil {
					t.Fatal(o.everything(), err)
				}
				if len(report[0]) != 1 {
					t.Fatalf("call %d of %s saw the marks %v", n, tenant, report[0])
				}
				for _, value := range report[2] {
					if seen[fmt.Sprint(value)] {
						t.Fatalf("call %d of %s: the value %v came before", n, tenant, value)
					}
					seen[fmt.Sprint(value)] = true
				}
				if h := fmt.Sprint(report[1]); !slices.Contains(hashes[tenant], h) {
					hashes[tenant] = append(hashes[tenant], h)
				}
			}
			for tenant, all := range hashes {
				for other, others := range hashes {
					if l == python && tenant != other && slices.Contains(others, all[0]) {
						t.Errorf("%s and %s share the seed of hash tables: %s", tenant, other, all[0])
					}
				}
			}
			if lines := lab.unsaved(); lines != nil {
				t.Errorf("%d starts were not saved: %s", len(lines), lines[0])
			}
		})
	}
}

// Fifty tools of two tenants, half in Python and half in JavaScript, keep their saved starts: after
// the first rounds, a round of calls takes a small part of the processor time of a round in which
// each tool starts. The memory is logged.
func TestFiftyToolsKeepTheirStarts(t *testing.T) {
	testlevel.Long(t, "it starts fifty tools, twice for each of two tenants")
	python.needs(t)
	tools := make(map[string]map[string]string)
	for n := range 25 {
		tools[fmt.Sprintf("python_%d", n)] = python.tool(fmt.Sprintf("python_%d", n), fmt.Sprintf(
			"import collections, csv, datetime, io, itertools, json, math, random, re, sqlite3, statistics\ntable = list(range(%d))\ndef run(args): return [len(table), statistics.median([1, 2])]", n*1000), "")
		tools[fmt.Sprintf("js_%d", n)] = javaScript.tool(fmt.Sprintf("js_%d", n), fmt.Sprintf(
			"const table = Array.from({ length: %d });\nexport const run = () => [table.length, 1.5];", n*1000), "")
	}
	lab := open(t, setup{}, tools)
	before := resident(t)
	var times []int64
	for round := range 6 {
		began := processorTime(t)
		for name := range tools {
			var n int
			if _, err := fmt.Sscanf(name[strings.IndexByte(name, '_'):], "_%d", &n); err != nil {
				t.Fatal(err)
			}
			for _, tenant := range []string{"one", "two"} {
				if o := lab.call(t, tenant, name, "{}"); o.structured != fmt.Sprintf("[%d,1.5]", n*1000) {
					t.Fatal(name, o.everything())
				}
			}
		}
		times = append(times, processorTime(t)-began)
		t.Logf("round %d: %d ms of processor time; %d MiB of memory", round, times[round]/1e6, (resident(t)-before)>>20)
	}
	if last := slices.Min(times[3:]); last*5 > times[0] {
		t.Errorf("the calls of a round take %d ms of processor time, and %d ms when all tools start", last/1e6, times[0]/1e6)
	}
}

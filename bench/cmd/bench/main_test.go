package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

func TestParse(t *testing.T) {
	o, err := parse([]string{"--quick", "--only", "^c/reactor/w", "--out", "there"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !o.quick || !filepath.IsAbs(o.out) || o.plots != o.out || o.plan.Rounds >= 100 {
		t.Errorf("got %+v", o)
	}
	var names []string
	for _, p := range o.selected("", peer.For("c", peer.Setup{})) {
		names = append(names, p.Name().String())
	}
	if got := strings.Join(names, " "); !strings.Contains(got, "c/reactor/wazero-reuse") || strings.Contains(got, "command") || strings.Contains(got, "node") {
		t.Errorf("--only leaves %s", got)
	}
	for _, args := range [][]string{{"--only", "("}, {"--procs", "0"}, {"--rounds", "-1"}, {"more"}, {"--unknown"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

func TestRunWithoutGuests(t *testing.T) {
	err := run(t.Context(), nil, []string{"--out", t.TempDir()}, nil, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "guests/build.sh") {
		t.Errorf("got %v", err)
	}
}

// TestRun checks that a run writes tables, plots and, if requested, JSON. It selects only
// measurements of the smallest guest.
func TestRun(t *testing.T) {
	guests, err := filepath.Abs("../../out/guests")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(guests); err != nil {
		t.Skip("the guests are missing; guests/build.sh builds them")
	}
	dir := t.TempDir()
	if err := os.Symlink(guests, filepath.Join(dir, "guests")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "results.json")
	var out bytes.Buffer
	args := []string{"--quick", "--only", "^throughput/c/reactor/wasmtool|^c/reactor/w", "--out", dir, "--json", file}
	if err := run(t.Context(), nil, args, nil, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Targets", "| C reactor, relative to a reused instance | <= 4.00x |", "## Many callers"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	data, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte(`"system": "wazero-reuse"`)) {
		t.Errorf("the JSON: %v\n%s", err, data)
	}
	if _, err := os.Stat(filepath.Join(dir, "latency.svg")); err != nil {
		t.Error(err)
	}
}

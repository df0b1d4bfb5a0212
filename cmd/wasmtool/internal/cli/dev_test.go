package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// heard is a writer that can be waited for.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() {
		close(h.more)
		h.more = make(chan struct{})
	}()
	return h.text.Write(p)
}

// await returns when text was written after the call of the last await.
func (h *heard) await(t *testing.T, text string) {
	t.Helper()
	for {
		h.mu.Lock()
		at, more := strings.Index(h.text.String(), text), h.more
		if at >= 0 {
			h.text.Next(at + len(text))
		}
		h.mu.Unlock()
		if at >= 0 {
			return
		}
		select {
		case <-more:
		case <-t.Context().Done():
			t.Fatalf("%q was not written", text)
		}
	}
}

// 'dev' tests a tool at once and after each change, says what changed, and survives mistakes.
func TestDevFollowsChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("tool.toml", `manifest = 1
name = "adds"
version = "1.0.0"
description = "Adds one."
[script]
path = "tool.js"
[parameters]
type = "object"
required = ["n"]
properties.n.type = "integer"
[[examples]]
title = "One more"
arguments = { n = 1 }
output = "2"
`)
	write("tool.js", "export const run = ({ n }) => n + 1;\n")
	out := &heard{more: make(chan struct{})}
	a := &app{
		Streams: Streams{In: strings.NewReader(""), Out: out, Err: out},
		getenv:  func(name string) (string, bool) { return map[string]string{"HOME": dir}[name], name == "HOME" },
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd := newDevCommand(a)
	cmd.SetContext(ctx)
	ticks := make(chan time.Time)
	ended := make(chan error)
	o := testOptions{toolOptions: toolOptions{app: a}}
	o.cache = t.TempDir()
	go func() { ended <- o.dev(cmd, dir, ticks) }()

	out.await(t, "1 passed, 0 failed")
	out.await(t, "waiting for changes")
	ticks <- time.Time{} // nothing has changed
	write("tool.js", "export const run = ({ n }) => n + 20;\n")
	ticks <- time.Time{}
	out.await(t, "tool.js changed")
	out.await(t, "0 passed, 1 failed")
	out.await(t, "broken: One more")
	out.await(t, "waiting for changes")
	write("tool.toml", "manifest = ")
	ticks <- time.Time{}
	out.await(t, "tool.toml changed")
	out.await(t, "not valid TOML")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSnapshots(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("tool.toml", "manifest = 1\nname = \"x\"\nversion = \"1.0.0\"\ndescription = \"x\"\n[module]\npath = \"out.wasm\"\n[parameters]\ntype = \"object\"\n")
	write("a.c", "a")
	write("lib/b.c", "b")
	before := takeSnapshot(dir)
	for _, name := range []string{"out.wasm", ".git/HEAD", ".new-out.wasm", "node_modules/x/index.js", "target/x", "lib/__pycache__/x"} {
		write(name, "not watched")
	}
	if changed := takeSnapshot(dir).changedSince(before); len(changed) > 0 {
		t.Errorf("changes that are none: %q", changed)
	}
	write("a.c", "longer")
	write("lib/c.c", "new")
	if err := os.Remove(filepath.Join(dir, "lib", "b.c")); err != nil {
		t.Fatal(err)
	}
	if got, want := takeSnapshot(dir).changedSince(before), []string{"a.c", "lib/b.c", "lib/c.c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

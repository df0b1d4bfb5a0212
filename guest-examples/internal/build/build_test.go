package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func build() output {
	return output{goVersion: "go1.99", wasm: map[string][]byte{"data": []byte("data module"), "files": []byte("files module")}}
}

// sourceTree creates a directory like guest-examples with one manifest.
func sourceTree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "guest-examples")
	put(t, filepath.Join(dir, toolsDir, "tool", "tool.toml"), "name = \"tool\"\n[module]\npath = \"../data.wasm\"\nsha256 = \""+zeros+"\"\n")
	return dir
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWriteThenCompare(t *testing.T) {
	dir := sourceTree(t)
	put(t, filepath.Join(dir, artefacts, "gone", "tool.toml"), "an old tool")
	put(t, filepath.Join(dir, "example", "tool.toml"), "name = \"example\"\n[module]\npath = \"example.wasm\"\n")
	files, err := build().files(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := compare(files, dir, "go1.99", io.Discard); err == nil {
		t.Error("no artefacts exist yet, but no difference is reported")
	}
	if err := write(files, dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := compare(files, dir, "go1.99", io.Discard); err != nil {
		t.Errorf("after writing: %v", err)
	}
	digest := build().digest("data")
	for _, name := range []string{toolsDir + "/tool/tool.toml", artefacts + "/tool/tool.toml", artefacts + "/BUILD.txt"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(content), digest) {
			t.Errorf("%s lacks the digest: %q, %v", name, content, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, artefacts, "example")); err == nil {
		t.Error("an example with a module of its own is among the built-in tools")
	}
	var log strings.Builder
	if err := write(files, dir, &log); err != nil || log.Len() > 0 {
		t.Errorf("writing once more: %q, %v; want nothing to do", log.String(), err)
	}
}

func TestCompare_namesWhatDiffers(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, dir string)
		now    string
		want   []string
	}{
		"manifest": {
			change: func(t *testing.T, dir string) {
				put(t, filepath.Join(dir, artefacts, "tool", "tool.toml"), "edited by hand")
			},
			now:  "go1.99",
			want: []string{artefacts + "/tool/tool.toml", `run "go run ./internal/build" in guest-examples`},
		},
		"module": {
			change: func(t *testing.T, dir string) {
				put(t, filepath.Join(dir, artefacts, "files.wasm.gz"), "no gzip")
			},
			now:  "go1.99",
			want: []string{artefacts + "/files.wasm.gz"},
		},
		"left over": {
			change: func(t *testing.T, dir string) { put(t, filepath.Join(dir, artefacts, "old.wasm.gz"), "") },
			now:    "go1.99",
			want:   []string{artefacts + "/old.wasm.gz"},
		},
		"version of Go": {
			change: func(t *testing.T, dir string) { put(t, filepath.Join(dir, artefacts, "data.wasm.gz"), "") },
			now:    "go2.0",
			want:   []string{"built with go1.99, but this is go2.0", "GOTOOLCHAIN=go1.99"},
		},
		"no record": {
			change: func(t *testing.T, dir string) { put(t, filepath.Join(dir, artefacts, recordName), "") },
			now:    "go1.99",
			want:   []string{artefacts + "/BUILD.txt"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := sourceTree(t)
			files, err := build().files(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := write(files, dir, io.Discard); err != nil {
				t.Fatal(err)
			}
			test.change(t, dir)
			err = compare(files, dir, test.now, io.Discard)
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want a text with %q", err, want)
				}
			}
		})
	}
}

// Files are compared by their uncompressed content, because another version of Go may compress the
// same module to different bytes.
func TestSame_comparesWhatIsInside(t *testing.T) {
	packed, err := pack([]byte("module"))
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(packed)
	other[9] ^= 0xff // the header byte that names the operating system
	name := filepath.Join(t.TempDir(), "m.wasm.gz")
	put(t, name, string(other))
	if !same(name, packed) {
		t.Error("equal modules are reported as different")
	}
	if packed, err = pack([]byte("another module")); err != nil {
		t.Fatal(err)
	}
	if same(name, packed) {
		t.Error("different modules are reported as the same")
	}
}

func TestStamp_errors(t *testing.T) {
	for name, manifest := range map[string]string{
		"no path":        "sha256 = \"" + zeros + "\"\n",
		"unknown module": "path = \"../other.wasm\"\nsha256 = \"" + zeros + "\"\n",
		"no digest":      "path = \"../data.wasm\"\n",
		"two digests":    "path = \"../data.wasm\"\nsha256 = \"" + zeros + "\"\nsha256 = \"" + zeros + "\"\n",
		"short digest":   "path = \"../data.wasm\"\nsha256 = \"00\"\n",
	} {
		if _, err := build().stamp([]byte(manifest)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRun_usage(t *testing.T) {
	for _, args := range [][]string{{"extra"}, {"-force"}} {
		var stderr strings.Builder
		if code := run(t.Context(), args, io.Discard, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%q: got %d, %q; want 2 and a message", args, code, stderr.String())
		}
	}
}

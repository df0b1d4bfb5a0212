package builtins

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/BurntSushi/toml"
)

// tools are the names of the built-in tools.
var tools = []string{
	"apply_patch",
	"array",
	"bash",
	"calculator",
	"convert",
	"datetime",
	"diff",
	"edit",
	"github_search",
	"glob",
	"grep",
	"hash",
	"json",
	"list",
	"markdown",
	"multi_edit",
	"object",
	"read",
	"skill",
	"spec",
	"string",
	"todo",
	"web_fetch",
	"web_search",
	"write",
}

// modules are the modules of the built-in tools.
var modules = []string{
	"data.wasm",
	"documents.wasm",
	"files.wasm",
	"plan.wasm",
	"query.wasm",
	"shell.wasm",
	"web.wasm",
}

// The test uses small modules, because fstest reads them byte by byte.
func TestFS_conforms(t *testing.T) {
	fsys := newFS(fstest.MapFS{
		"a/BUILD.txt":      {Data: []byte("record")},
		"a/m.wasm.gz":      {Data: gzipped(t, "module")},
		"a/tool/tool.toml": {Data: []byte("manifest")},
	}, "a")
	if err := fstest.TestFS(fsys, "m.wasm", "tool/tool.toml"); err != nil {
		t.Fatal(err)
	}
}

func TestFS_showsToolsAndModulesOnly(t *testing.T) {
	entries, err := fs.ReadDir(FS(), ".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := slices.Sorted(slices.Values(slices.Concat(tools, modules))); !slices.Equal(names, want) {
		t.Errorf("got %s, want %s", names, want)
	}
	for _, name := range []string{"BUILD.txt", "files.wasm.gz", "none.wasm", "none/tool.toml", "../builtins.go", "/grep/tool.toml", ""} {
		if _, err := fs.Stat(FS(), name); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: got %v, want an error", name, err)
		}
	}
}

func TestFS_manifestsFitModules(t *testing.T) {
	fsys := FS()
	for _, tool := range tools {
		t.Run(tool, func(t *testing.T) {
			content, err := fs.ReadFile(fsys, tool+"/tool.toml")
			if err != nil {
				t.Fatal(err)
			}
			var manifest struct {
				Name   string
				Module struct {
					Path   string
					SHA256 string `toml:"sha256"`
					Args   []string
				}
			}
			if err := toml.Unmarshal(content, &manifest); err != nil {
				t.Fatal(err)
			}
			if manifest.Name != tool {
				t.Errorf("the manifest names %q", manifest.Name)
			}
			if got := strings.Join(manifest.Module.Args, " "); got != tool && (tool != "bash" || got != "") {
				t.Errorf("the arguments of the module are %q, want the name of the tool, unless the tool has its own module", manifest.Module.Args)
			}
			wasm, err := fs.ReadFile(fsys, path.Join(tool, manifest.Module.Path))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00")) {
				t.Errorf("the module begins with %x", wasm[:8])
			}
			sum := sha256.Sum256(wasm)
			if got := hex.EncodeToString(sum[:]); got != manifest.Module.SHA256 {
				t.Errorf("the module has the digest %s, the manifest says %s", got, manifest.Module.SHA256)
			}
		})
	}
}

func TestFS_callersOwnWhatTheyRead(t *testing.T) {
	fsys := FS()
	first, err := fs.ReadFile(fsys, "data.wasm")
	if err != nil {
		t.Fatal(err)
	}
	clear(first)
	second, err := fs.ReadFile(fsys, "data.wasm")
	if err != nil {
		t.Fatal(err)
	}
	if second[1] != 'a' {
		t.Error("writing to the slice of one reader changed what the next reader gets")
	}
}

func TestFS_concurrentUse(t *testing.T) {
	fsys := FS()
	want, err := fs.ReadFile(FS(), "files.wasm")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			f, err := fsys.Open("files.wasm")
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			got, err := io.ReadAll(f)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %d bytes, %v; want %d", len(got), err, len(want))
			}
		})
	}
	group.Wait()
}

// countingFS counts how often a packed module is opened.
type countingFS struct {
	fs.FS
	opened map[string]int
}

func (c countingFS) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.FS.Open(name)
}

func TestFS_decompressesOnceAndLate(t *testing.T) {
	packed := countingFS{fstest.MapFS{"a/m.wasm.gz": {Data: gzipped(t, "module")}}, map[string]int{}}
	fsys := newFS(packed, "a")
	if _, err := fs.ReadDir(fsys, "."); err != nil {
		t.Fatal(err)
	}
	info, err := fs.Stat(fsys, "m.wasm")
	if err != nil || info.Size() != int64(len("module")) {
		t.Fatalf("got %v, %v; want the size of the module", info, err)
	}
	looked := packed.opened["a/m.wasm.gz"]
	for range 3 {
		if got, err := fs.ReadFile(fsys, "m.wasm"); string(got) != "module" {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if decompressed := packed.opened["a/m.wasm.gz"] - looked; looked != 1 || decompressed != 1 {
		t.Errorf("opened %d times to list and %d times to read, want once each", looked, decompressed)
	}
}

func TestFS_badModules(t *testing.T) {
	good := gzipped(t, strings.Repeat("module ", 100))
	resized := func(size uint32) []byte {
		return binary.LittleEndian.AppendUint32(bytes.Clone(good[:len(good)-4]), size)
	}
	wrongSum := bytes.Clone(good)
	wrongSum[len(wrongSum)-5]++
	for name, data := range map[string][]byte{
		"empty":                {},
		"short":                good[:3],
		"cut":                  append(bytes.Clone(good[:len(good)/2]), good[len(good)-8:]...),
		"wrong sum":            wrongSum,
		"promises less":        resized(7),
		"promises more":        resized(7000),
		"declares a huge size": resized(1 << 31),
		"not gzip":             []byte("\x00asm\x01\x00\x00\x00\x00\x00\x00\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			fsys := newFS(fstest.MapFS{"a/m.wasm.gz": {Data: data}}, "a")
			if got, err := fs.ReadFile(fsys, "m.wasm"); err == nil {
				t.Errorf("got %d bytes and no error", len(got))
			}
		})
	}
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

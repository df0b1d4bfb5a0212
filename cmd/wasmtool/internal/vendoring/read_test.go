package vendoring

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/manifests"
)

// member is a file of an archive. A mode that is not regular makes a link.
type member struct {
	name, content string
	mode          fs.FileMode
}

func wheel(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		head := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		head.SetMode(m.mode | 0o644)
		out, err := w.CreateHeader(head)
		if err == nil {
			_, err = out.Write([]byte(m.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarball(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for _, m := range members {
		head := &tar.Header{Name: m.name, Size: int64(len(m.content)), Mode: 0o644, Typeflag: tar.TypeReg}
		if m.mode&fs.ModeSymlink != 0 {
			head.Typeflag, head.Linkname, head.Size = tar.TypeSymlink, m.content, 0
			m.content = ""
		}
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// store writes a file into a new directory, and returns its path.
func store(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const about = `{"name": "demo", "version": "1.2.3", "dependencies": {"b": "1", "a": "2"}}`

// Each hostile name or file makes the whole archive an error.
func TestHostileArchivesAreRefused(t *testing.T) {
	zeros := strings.Repeat("\x00", manifests.MaxDataBytes+1)
	for name, tt := range map[string]struct {
		members []member
		want    string
	}{
		"a name that leaves":        {[]member{{name: "pkg/../../evil.py"}}, "is not a path"},
		"a parent":                  {[]member{{name: "pkg/.."}}, "is not a path"},
		"an absolute name":          {[]member{{name: "//etc/passwd"}}, "is not a path"},
		"a backslash":               {[]member{{name: `pkg/..\evil.py`}}, "is not a path"},
		"a drive":                   {[]member{{name: "pkg/c:evil.py"}}, "is not a path"},
		"a control character":       {[]member{{name: "pkg/a\x1b[2J.py"}}, "is not a path"},
		"a hidden character":        {[]member{{name: "pkg/a\u202epy.exe"}}, "is not a path"},
		"bytes that are not UTF-8":  {[]member{{name: "pkg/a\xff.py"}}, "is not a path"},
		"a long name":               {[]member{{name: "pkg/" + strings.Repeat("a/", 400) + "x"}}, "is not a path"},
		"a link":                    {[]member{{name: "pkg/link", content: "/etc/passwd", mode: fs.ModeSymlink}}, "is a link"},
		"other letters":             {[]member{{name: "pkg/a.py"}, {name: "pkg/A.py"}}, "has the same name as"},
		"other letters of parents":  {[]member{{name: "pkg/a/x.py"}, {name: "pkg/A/y.py"}}, "has the same name as"},
		"other code points":         {[]member{{name: "pkg/\u00e9.py"}, {name: "pkg/e\u0301.py"}}, "has the same name as"},
		"the same name twice":       {[]member{{name: "pkg/a.py"}, {name: "pkg/a.py"}}, "is there twice"},
		"a file that is a parent":   {[]member{{name: "pkg/a"}, {name: "pkg/a/b.py"}}, "has the same name as"},
		"a parent that is a file":   {[]member{{name: "pkg/a/b.py"}, {name: "pkg/a"}}, "has the same name as"},
		"a file of many zeros":      {[]member{{name: "pkg/a.py", content: zeros}}, "has more than the 64 MiB"},
		"many zeros in a few files": {[]member{{name: "pkg/a.py", content: zeros[:40<<20]}, {name: "pkg/b.py", content: zeros[:40<<20]}}, "has more than the 64 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := []member{{name: "package/package.json", content: about}}
			for _, m := range tt.members {
				m.name = "package/" + m.name
				dir = append(dir, m)
			}
			for file, content := range map[string][]byte{"demo.whl": wheel(t, tt.members...), "demo.tgz": tarball(t, dir...)} {
				_, err := Read(store(t, file, content), file == "demo.whl")
				if err == nil || !strings.Contains(err.Error(), tt.want) || !plaintext.Plain(err.Error(), plaintext.Line) {
					t.Errorf("%s: got %v, want %q", file, err, tt.want)
				}
			}
		})
	}
	many := make([]member, manifests.MaxDataFiles+1)
	for i := range many {
		many[i].name = fmt.Sprintf("pkg/.hidden/%d", i)
	}
	for what, content := range map[string][]byte{"more than 10000 files": wheel(t, many...), "is not a wheel": []byte("PK\x03\x04")} {
		if _, err := Read(store(t, "a.whl", content), true); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want %q", err, what)
		}
	}
	for what, content := range map[string][]byte{"is not an archive of npm": []byte("\x1f\x8b"), "no name of a package": tarball(t, member{name: "p/package.json", content: `{"name": "../evil"}`})} {
		if _, err := Read(store(t, "a.tgz", content), false); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want %q", err, what)
		}
	}
}

// A directory is read without following links.
func TestDirectoriesHaveNoLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pkg")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "a.py")); err != nil {
		t.Skip(err)
	}
	if _, err := Read(dir, true); err == nil || !strings.Contains(err.Error(), `"a.py" is a link`) {
		t.Errorf("got %v", err)
	}
}

const metadataText = "Metadata-Version: 2.1\nName: Demo-Pkg\nVersion: 1.2.3\nRequires-Dist: et-xmlfile\nRequires-Dist: lxml ; extra == 'fast'\n"

func TestWheel(t *testing.T) {
	content := wheel(t,
		member{name: "demo_pkg/"}, member{name: "demo_pkg/__init__.py", content: "import os, numpy\nfrom yaml.nodes import Node\nfrom . import other\ntry:\n    import PIL\nexcept ImportError: pass\n"},
		member{name: "demo_pkg/fast.so"}, member{name: "demo_pkg/__pycache__/x.pyc"}, member{name: "demo_pkg/tests/t.py", content: "import pytest"},
		member{name: "single.py"},
		member{name: "demo_pkg-1.2.3.dist-info/METADATA", content: metadataText})
	p, err := Read(store(t, "demo_pkg-1.2.3-py3-none-any.whl", content), true)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(p.Files))
	want := []string{"demo_pkg-1.2.3.dist-info/METADATA", "demo_pkg/__init__.py", "demo_pkg/tests/t.py", "single.py"}
	if !slices.Equal(names, want) || p.Name != "demo_pkg" || p.Version != "1.2.3" || !slices.Equal(p.Native, []string{"demo_pkg/fast.so"}) {
		t.Errorf("got %v of %s %s, without %v", names, p.Name, p.Version, p.Native)
	}
	needs, may := Missing([]*Package{p}, []string{"demo_pkg", "yaml", "PyYAML-6.dist-info"})
	if !slices.Equal(needs, []string{"et-xmlfile", "numpy"}) || !slices.Equal(may, []string{"PIL"}) || !IsNative("numpy") || IsNative("et-xmlfile") {
		t.Errorf("needs %v, and may need %v", needs, may)
	}
	if needs, _ := Missing([]*Package{p}, []string{"et_xmlfile", "numpy-1.0.dist-info", "yaml.py"}); needs != nil {
		t.Errorf("needs %v", needs)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	read := func(version, script string) *Package {
		t.Helper()
		p, err := Read(store(t, "demo.whl", wheel(t, member{name: "demo/__init__.py", content: script},
			member{name: "demo-" + version + ".dist-info/METADATA", content: "Name: demo\nVersion: " + version + "\n"})), true)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first, second := read("1.0", "a = 1"), read("2.0", "a = 2")
	shows := func(want string, names ...string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(dir, "vendor", "demo", "__init__.py"))
		entries, _ := os.ReadDir(filepath.Join(dir, "vendor"))
		var there []string
		for _, e := range entries {
			there = append(there, e.Name())
		}
		if string(got) != want || err != nil || !slices.Equal(there, names) {
			t.Errorf("got %q, %v in %v", got, err, there)
		}
	}
	if _, err := Write(dir, []*Package{first, second}, true); !errors.Is(err, ErrExists) {
		t.Errorf("two packages with one name: %v", err)
	}
	if _, err := Write(dir, []*Package{first}, false); err != nil {
		t.Fatal(err)
	}
	shows("a = 1", "demo", "demo-1.0.dist-info")
	if _, err := Write(dir, []*Package{second}, false); !errors.Is(err, ErrExists) {
		t.Errorf("got %v", err)
	}
	shows("a = 1", "demo", "demo-1.0.dist-info")
	if names, err := Write(dir, []*Package{second}, true); err != nil || !slices.Contains(names, "demo-2.0.dist-info") {
		t.Errorf("%v, %v", names, err)
	}
	shows("a = 2", "demo", "demo-2.0.dist-info")

	// A link does not lead out of the tool.
	outside := t.TempDir()
	linked := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(linked, "vendor")); err != nil {
		t.Skip(err)
	}
	if _, err := Write(linked, []*Package{first}, true); err == nil {
		t.Error("wrote through a link")
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("%v were written", entries)
	}
}

// Names of npm that differ only in a dot or a dash are different packages.
func TestNamesOfPackages(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a-b", "a.b", "@c/a-b"} {
		p, err := Read(store(t, "x.tgz", tarball(t, member{name: "x/package.json", content: `{"name": "` + name + `"}`})), false)
		if err == nil {
			_, err = Write(dir, []*Package{p}, false)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Write(dir, []*Package{p}, false); !errors.Is(err, ErrExists) {
			t.Errorf("%s again: %v", name, err)
		}
	}
}

// Whatever an archive has, its files stay below vendor, and it makes no panic.
func FuzzRead(f *testing.F) {
	f.Add(wheel(f, member{name: "demo/__init__.py", content: "import x"}, member{name: "demo-1.dist-info/METADATA", content: metadataText}), true)
	f.Add(tarball(f, member{name: "package/package.json", content: about}, member{name: "package/index.js"}), false)
	f.Fuzz(func(t *testing.T, content []byte, python bool) {
		tr := newTree()
		read, parse := tr.readTarball, tr.npmPackage
		if python {
			read, parse = tr.readWheel, tr.pythonPackage
		}
		if read(content) != nil {
			return
		}
		p, err := parse()
		if err != nil {
			return
		}
		for name := range p.Files {
			if !fs.ValidPath(name) || strings.Contains(name, `\`) || !manifests.Visible(name) {
				t.Errorf("has the file %q", name)
			}
		}
	})
}

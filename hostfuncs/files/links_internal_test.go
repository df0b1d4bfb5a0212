//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// FuzzLinks creates a tree of files, directories and links, and a mount with deny patterns. It
// compares what can be opened, described and listed with the files that the host finds.
func FuzzLinks(f *testing.F) {
	random := rand.New(rand.NewSource(1))
	for range testlevel.Size(60, 1000) {
		data := make([]byte, 200+random.Intn(150))
		random.Read(data)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		choose := chooser{data}
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		o := oracle{ws: filepath.Join(top, "ws")}
		if err := os.Mkdir(o.ws, 0o700); err != nil {
			t.Fatal(err)
		}
		for range 1 + choose.number(2) {
			o.deny = append(o.deny, choose.of("a", "b/**", "**/c", "*/a", ".e", "**/.E", "a/*", "[ab]/c", "c/b/a", "a/b/**", "**/b/c", "?/?/?"))
		}
		choose.tree(t, o.ws)
		fsys, err := New([]capability.GrantedFS{{FS: capability.FS{Mount: "w", Mode: capability.ModeRead, Deny: o.deny}, Dir: o.ws}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer fsys.Close()
		view := fsys.View("/w")
		for range 30 {
			o.check(t, view, choose.path(o.ws))
		}
	})
}

// fuzzNames are the names in the tree.
var fuzzNames = []string{"a", "b", "c", "d", "f", ".e"}

// chooser makes choices from the data of a fuzz test, and the first choice when no data is left.
type chooser struct{ data []byte }

func (c *chooser) number(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	chosen := int(c.data[0]) % n
	c.data = c.data[1:]
	return chosen
}

func (c *chooser) of(all ...string) string { return all[c.number(len(all))] }

// tree fills the directory ws.
func (c *chooser) tree(t *testing.T, ws string) {
	dirs, all := []string{ws}, []string{ws}
	for len(c.data) > 150 {
		name := filepath.Join(c.of(dirs...), c.of(fuzzNames...))
		var err error
		switch c.number(6) {
		case 0, 1:
			if err = os.Mkdir(name, 0o700); err == nil {
				dirs = append(dirs, name)
			}
		case 2:
			if _, err = os.Lstat(name); err != nil {
				err = os.WriteFile(name, []byte("x"), 0o600)
			}
		default:
			var target string
			if c.number(3) > 0 {
				target, err = filepath.Rel(filepath.Dir(name), c.of(all...))
			} else {
				target = c.of("", "", "../", "../../", "./", ws+"/") + c.of("a", "A", "b", "c", "d")
			}
			for range c.number(5) - 2 {
				target += "/" + c.of("..", "", ".", "a", "b", "c", "d", ".E")
			}
			if err == nil {
				err = os.Symlink(target, name)
			}
		}
		switch {
		case err == nil:
			all = append(all, name)
		case !os.IsExist(err):
			t.Fatal(err)
		}
	}
}

// path returns a path below ws, mostly of a file that exists.
func (c *chooser) path(ws string) string {
	rel := c.of(fuzzNames...)
	for range c.number(5) {
		name := c.of(fuzzNames...)
		entries, err := os.ReadDir(filepath.Join(ws, rel))
		if err == nil && len(entries) > 0 && c.number(8) > 0 {
			name = entries[c.number(len(entries))].Name()
		}
		rel += "/" + name
	}
	return rel
}

// oracle finds files of the host by their paths and without open directories, and knows which of
// them are denied.
type oracle struct {
	ws   string
	deny []string
}

// denies reports whether a pattern matches the path or a directory above it.
func (o oracle) denies(rel string) bool {
	for ; rel != "."; rel = path.Dir(rel) {
		for _, pattern := range o.deny {
			if doublestar.MatchUnvalidated(strings.ToLower(strings.TrimSuffix(pattern, "/**")), strings.ToLower(rel)) {
				return true
			}
		}
	}
	return false
}

// find returns the physical path to which rel leads. ok is false if rel leads nowhere or outside,
// or if a path that find passes is denied. With follow, find follows a link at the end. steps is
// the number of links and of ".." that it has passed.
func (o oracle) find(rel string, follow bool) (physical string, steps int, ok bool) {
	var at []string
	for rest := strings.Split(rel, "/"); len(rest) > 0 && steps <= maxWalks; {
		ahead := slices.Clone(at)
		for _, elem := range rest {
			if elem == ".." {
				break
			}
			ahead = append(ahead, elem)
		}
		if o.denies(path.Join(append([]string{"."}, ahead...)...)) {
			return "", steps, false
		}
		elem := rest[0]
		rest = rest[1:]
		switch elem {
		case "", ".":
			continue
		case "..":
			if steps++; len(at) == 0 {
				return "", steps, false
			}
			at = at[:len(at)-1]
			continue
		}
		host := filepath.Join(o.ws, path.Join(at...), elem)
		info, err := os.Lstat(host)
		switch {
		case err != nil:
			return "", steps, false
		case info.Mode().Type() == fs.ModeSymlink && (follow || len(rest) > 0):
			steps++
			target, err := os.Readlink(host)
			if err != nil || strings.HasPrefix(target, "/") {
				return "", steps, false
			}
			rest = append(strings.Split(target, "/"), rest...)
			continue
		case len(rest) > 0 && !info.IsDir():
			return "", steps, false
		}
		at = append(at, elem)
	}
	return path.Join(append([]string{"."}, at...)...), steps, true
}

// check compares the answers for a path with the host's files.
func (o oracle) check(t *testing.T, view View, rel string) {
	t.Helper()
	about := func(op string, err error) string {
		return fmt.Sprintf("%s %s with deny %q: %v\n%s", op, rel, o.deny, err, treeOf(o.ws))
	}
	for op, follow := range map[string]bool{"stat": true, "lstat": false} {
		physical, steps, ok := o.find(rel, follow)
		ok = ok && !o.denies(rel)
		unsure := steps >= maxWalks
		info, err := view.Lstat(rel)
		if follow {
			info, err = view.Stat(rel)
		}
		if (err == nil) != ok && !unsure {
			t.Fatal(about(op, err), "want ", ok)
		}
		if err == nil {
			o.checkSame(t, info.(namedInfo).FileInfo, rel, physical, follow, unsure, about(op, nil))
		}
		if !follow {
			continue
		}
		file, err := view.Open(rel, 0)
		if (err == nil) != ok && !unsure {
			t.Fatal(about("open", err), "want ", ok)
		}
		if err != nil {
			continue
		}
		info, err = file.Stat()
		if err != nil {
			t.Fatal(about("stat open", err))
		}
		o.checkSame(t, info.(namedInfo).FileInfo, rel, physical, true, unsure, about("open", nil))
		if file.IsDir() {
			o.checkList(t, file, rel, physical, about)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if target, err := view.Readlink(rel); err == nil {
		physical, _, ok := o.find(rel, false)
		want, err := os.Readlink(filepath.Join(o.ws, physical))
		named := path.Join(path.Dir(physical), target)
		if !ok || err != nil || target != want || o.denies(physical) || strings.HasPrefix(named+"/", "../") || o.denies(named) {
			t.Fatal(about("readlink", err), "got ", target)
		}
	}
}

// checkSame checks that info describes the file at the physical path, and that the path is not
// denied. With follow, it is also the file that package filepath finds.
func (o oracle) checkSame(t *testing.T, info fs.FileInfo, rel, physical string, follow, unsure bool, about string) {
	t.Helper()
	if follow {
		evaluated, err := filepath.EvalSymlinks(filepath.Join(o.ws, rel))
		if err != nil {
			t.Fatal(about, err)
		}
		got, err := filepath.Rel(o.ws, evaluated)
		if err != nil || got != physical && !unsure {
			t.Fatalf("%s: it is %s, but %s leads to %s: %v", about, physical, rel, got, err)
		}
		physical = got
	}
	found, err := os.Lstat(filepath.Join(o.ws, physical))
	if err != nil || !os.SameFile(found, info) {
		t.Fatalf("%s: not the file at %s: %v", about, physical, err)
	}
	if physical == ".." || strings.HasPrefix(physical, "../") || o.denies(physical) || o.denies(rel) {
		t.Fatalf("%s: leads to %s", about, physical)
	}
}

// checkList checks that a directory, opened at rel, shows all of its entries but the denied ones.
func (o oracle) checkList(t *testing.T, dir *File, rel, physical string, about func(string, error) string) {
	t.Helper()
	entries, err := dir.ReadDir(0)
	if err != nil {
		t.Fatal(about("list", err))
	}
	var got, want []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	all, err := os.ReadDir(filepath.Join(o.ws, physical))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range all {
		if !o.denies(path.Join(rel, entry.Name())) && !o.denies(path.Join(physical, entry.Name())) {
			want = append(want, entry.Name())
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatal(about("list", nil), "got ", got, ", want ", want)
	}
}

// treeOf describes the tree for a failed test.
func treeOf(ws string) string {
	var b strings.Builder
	_ = filepath.WalkDir(ws, func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			target, _ := os.Readlink(name)
			fmt.Fprintf(&b, "%s %s %s\n", strings.TrimPrefix(name, ws), entry.Type(), target)
		}
		return nil
	})
	return b.String()
}

//go:build unix

package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// linkDeny are the deny patterns of the directory that linked creates.
var linkDeny = []string{"**/.env", "secret/**", "vault/f", "vault/*.key", "alias"}

// linked creates a mount with links of all kinds to denied and to other files, and returns its
// path. Every denied file and every file outside the mount contains the canary.
func linked(t testing.TB) (ws string) {
	t.Helper()
	top := t.TempDir()
	ws = filepath.Join(top, "ws")
	write(t, top, map[string]string{
		"out/f":               canary,
		"ws/.env":             canary,
		"ws/secret/f":         canary,
		"ws/secret/deep/f":    canary,
		"ws/vault/f":          canary,
		"ws/vault/a.key":      canary,
		"ws/vault/sub/g":      "fine",
		"ws/f":                "top",
		"ws/pub/f":            "fine",
		"ws/pub/.env":         canary,
		"ws/pub/sub/g":        "fine",
		"ws/pkg/x":            "fine",
		"ws/bin/y":            "fine",
		"ws/pub/vault/f":      "fine",
		"ws/.wasmtool-tmp-f":  "fine",
		"ws/pub/sub/vault/up": "fine",
	})
	for link, target := range map[string]string{
		// Links that may be followed.
		"bin/x":      "../pkg/x",
		"x":          "bin/x",
		"pubs":       "pub",
		"pubslash":   "pub/",
		"pubdot":     "./pub//.",
		"chain1":     "chain2/sub",
		"chain2":     "chain3",
		"chain3":     "pubs/",
		"self":       ".",
		"pub/top":    "..",
		"pub/sub/up": "../..",
		"vaults":     "vault",
		// Lexically, this is f. In fact, it is pub/f.
		"physical": "deeplink/../f",
		"deeplink": "pub/sub",
		// Links to denied files and directories.
		"tofile":       ".env",
		"tomissing":    "pub/sub/.env",
		"tocase":       "SECRET/f",
		"tohidden":     "sec\u200bret/f",
		"todir":        "secret",
		"toslash":      "secret/",
		"todots":       ".//secret/./f",
		"tonone":       "secret/none",
		"tobelow":      ".env/x",
		"tochain":      "tochain2/f",
		"tochain2":     "pub/top/todir",
		"pub/env":      "../.env",
		"pub/secret":   "../secret",
		"tovault":      "vault/f",
		"vault/in":     "f",
		"throughdir":   "secret/../pub/f",
		"throughlink":  "todir/../pub/f",
		"throughnone":  "secret/none/../../pub/f",
		"tohost":       ".wasmtool-tmp-host-x",
		"alias":        "pub",
		"toalias":      "alias/f",
		"tosubvault":   "vault/sub",
		"tophysical":   "tosubvault/../f",
		"vault/toself": "../self/vault/f",
		// Links that lead outside.
		"up":      "../out/f",
		"updir":   "../out",
		"abs":     filepath.Join(ws, "f"),
		"absdir":  ws,
		"toup":    "up",
		"pub/up":  "../../out/f",
		"back":    "../ws/f",
		"climb":   "pub/top/../out/f",
		"longway": "pub/sub/up/../out/f",
		// Links that lead nowhere.
		"loop":     "loop",
		"loop2a":   "loop2b",
		"loop2b":   "loop2a",
		"grow":     "grow/x",
		"none":     "pub/none",
		"infile":   "f/x",
		"slash":    "f/",
		"dot":      "f/.",
		"overfile": "f/../f",
		"overnone": "none/../f",
		"deep":     strings.Repeat("a/", 100),
		"wide":     strings.Repeat(strings.Repeat("a", 200)+"/", 20),
		"tofifo":   "fifo",
		"tobad":    "bad\xff",
	} {
		symlink(t, target, filepath.Join(ws, link))
	}
	for i := range 50 {
		target := fmt.Sprintf("long%d", i-1)
		if i == 0 {
			target = "f"
		}
		symlink(t, target, filepath.Join(ws, fmt.Sprintf("long%d", i)))
	}
	if err := syscall.Mkfifo(filepath.Join(ws, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	return ws
}

// TestLinksAreFollowedBesideDeniedPaths checks that, in a mount with deny patterns, reading follows
// links to files and directories of the mount that are not denied.
func TestLinksAreFollowedBesideDeniedPaths(t *testing.T) {
	fsys := newFS(t, read("w", linked(t), linkDeny...))
	view := fsys.View("/w")
	for name, want := range map[string]string{
		"bin/x":                      "fine",
		"x":                          "fine",
		"pubs/f":                     "fine",
		"pubs/sub/g":                 "fine",
		"pubslash/f":                 "fine",
		"pubdot/f":                   "fine",
		"chain1/g":                   "fine",
		"chain3/sub/g":               "fine",
		"pubs/top/f":                 "top",
		"pubs/sub/up/bin/x":          "fine",
		"self/self/self/x":           "fine",
		"physical":                   "fine",
		"vaults/sub/g":               "fine",
		"pub/vault/f":                "fine",
		"pubs/vault/f":               "fine",
		"long39":                     "top",
		strings.Repeat("self/", 40):  "",
		"pub/../pubs/./f":            "fine",
		"pubs/sub/vault/up":          "fine",
		"self/.wasmtool-tmp-f":       "fine",
		"pub/top/pub/top/pub/top/./": "",
	} {
		info, err := view.Stat(name)
		if err != nil || info.IsDir() != (want == "") {
			t.Errorf("stat %s: %v, %v", name, info, err)
			continue
		}
		if info.IsDir() {
			list(t, view, name)
			continue
		}
		if got, err := readFile(view, name); err != nil || got != want {
			t.Errorf("read %s: %q, %v, want %q", name, got, err, want)
		}
		if a := batch(fsys, "/w/"+name).Read(100, make([]byte, 200))[0]; a.Err != nil || string(a.Content) != want {
			t.Errorf("read %s in a batch: %q, %v, want %q", name, a.Content, a.Err, want)
		}
	}
	if info, err := view.Lstat("pubs/top"); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("lstat pubs/top: %v, %v", info, err)
	}
	if target, err := view.Readlink("chain1/up"); err != nil || target != "../.." {
		t.Errorf("readlink chain1/up: %q, %v", target, err)
	}
	if _, err := view.Open("pubs/f", files.OpenNoFollow); err != nil {
		t.Errorf("open pubs/f without following its end: %v", err)
	}
	for _, name := range []string{"x", "pubs", "pubs/top"} {
		if _, err := view.Open(name, files.OpenNoFollow); !errors.Is(err, files.ErrLoop) {
			t.Errorf("open %s without following: %v", name, err)
		}
	}
}

// TestLinksDoNotReachDeniedPaths checks that a link is not a second name for a denied file. The
// error must not reveal whether the target of the link exists.
func TestLinksDoNotReachDeniedPaths(t *testing.T) {
	ws := linked(t)
	fsys := newFS(t, read("w", ws, linkDeny...))
	view := fsys.View("/w")
	for want, names := range map[error][]string{
		fs.ErrPermission: {
			"tofile", "tofile/", "tofile/x", "tomissing", "tocase", "tohidden", "tonone", "tobelow", "todots",
			"todir", "todir/", "todir/f", "todir/none", "todir/deep/f", "todir/none/none", "toslash", "toslash/f",
			"tochain", "tochain2", "tochain2/deep/f", "pub/env", "pubs/env", "pub/secret", "pub/secret/f", "pubs/secret/none",
			"tovault", "vaults/f", "vaults/a.key", "vaults/b.key", "vaults/F", "vault/in", "vaults/in", "vault/toself",
			"self/secret", "self/secret/f", "self/self/vault/f", "self/vault/none.key", "pub/top/secret/none", "pubs/top/.env",
			"pubs/.env", "chain1/up/secret/f", "throughdir", "throughlink", "throughnone", "tohost", "self/.wasmtool-tmp-host-x",
			"alias", "alias/f", "toalias", "self/alias/f", "tophysical", "tofifo",
		},
		files.ErrOutside: {"up", "updir", "updir/f", "updir/none", "abs", "absdir", "absdir/f", "toup", "pub/up", "pubs/up", "back", "climb", "longway", "self/up"},
		files.ErrLoop:    {"loop", "loop/x", "loop2a", "grow", "long40", "self/long40", strings.Repeat("self/", 41)},
		fs.ErrNotExist:   {"none", "none/x", "overnone", "self/none", "pubs/missing"},
		files.ErrNotDir:  {"infile", "slash", "dot", "overfile", "x/", "x/y", "self/f/", "long3/"},
		fs.ErrInvalid:    {"tobad"},
		// A path through a link has the limits of a path.
		files.ErrNameTooLong: {"deep/" + strings.Repeat("a/", 30), "wide/" + strings.Repeat("a", 200)},
	} {
		for _, name := range names {
			f, err := view.Open(name, 0)
			if err == nil {
				_ = f.Close()
			}
			isOutside := errors.Is(err, files.ErrOutside) // is also fs.ErrPermission
			if !errors.Is(err, want) || isOutside != (want == files.ErrOutside) {
				t.Errorf("open %s: %v, want %v", name, err, want)
			}
			noHostPath(t, err, filepath.Dir(ws))
			if _, err := view.Open(name, files.OpenDirectory); err == nil {
				t.Errorf("opened %s as a directory", name)
			}
			if name != "tofifo" {
				if _, err := view.Stat(name); !errors.Is(err, want) {
					t.Errorf("stat %s: %v, want %v", name, err, want)
				}
			}
			room := make([]byte, 1000)
			for _, a := range slices.Concat(batch(fsys, "/w/"+name).Read(100, room), batch(fsys, "/w/"+name).List(room)) {
				if a.Err == nil {
					t.Errorf("%s in a batch: %q", name, a.Content)
				}
			}
			if strings.Contains(string(room), "CANARY") {
				t.Errorf("%s in a batch: the buffer contains denied content", name)
			}
		}
	}
	// A denied name is denied also without following its end. The names of links to it are not.
	for _, name := range []string{"todir/f", "self/secret", "pubs/secret/f", "vaults/f", "tochain2/f", "alias"} {
		if info, err := view.Lstat(name); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("lstat %s: %v, %v", name, info, err)
		}
	}
	for _, name := range []string{"tofile", "tomissing", "todir", "pub/env", "pubs/env", "vaults/in", "self/tovault", "chain1/up/todir"} {
		if target, err := view.Readlink(name); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("readlink %s: %q, %v", name, target, err)
		}
		if info, err := view.Lstat(name); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("lstat %s: %v, %v", name, info, err)
		}
	}
	for _, name := range []string{"up", "self/updir", "pubs/up", "abs", "back"} {
		if target, err := view.Readlink(name); !errors.Is(err, files.ErrOutside) {
			t.Errorf("readlink %s: %q, %v", name, target, err)
		}
	}
}

// TestListsThroughLinksOmitDeniedPaths checks that a directory that is listed through a link shows
// neither names that are denied in the directory itself nor names that are denied below the link.
func TestListsThroughLinksOmitDeniedPaths(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"d/f": "", "d/here": "", "d/there": "", "d/.env": "", "d/e/f": "", "top": ""})
	symlink(t, "d", filepath.Join(ws, "l"))
	symlink(t, "..", filepath.Join(ws, "d/up"))
	symlink(t, "up/d", filepath.Join(ws, "d/around"))
	fsys := newFS(t, read("w", ws, "d/here", "l/there", "**/.env", "d/around/e"))
	view := fsys.View("/w")
	for dir, want := range map[string][]string{
		"d":          {"around", "e", "f", "there", "up"},
		"l":          {"around", "e", "f", "up"},
		"l/":         {"around", "e", "f", "up"},
		"d/around":   {"around", "f", "there", "up"},
		"l/around":   {"around", "e", "f", "there", "up"}, // neither l/around/e nor d/e is denied
		"d/up":       {"d", "l", "top"},
		"l/up/d/up":  {"d", "l", "top"},
		"d/up/l/e/.": {"f"},
	} {
		if got := list(t, view, dir); !slices.Equal(got, want) {
			t.Errorf("list %s: %q, want %q", dir, got, want)
		}
		room := make([]byte, 1000)
		if a := batch(fsys, "/w/"+dir).List(room)[0]; a.Err != nil || strings.Count(string(a.Content), "here") != strings.Count(fmt.Sprint(want), "here") {
			t.Errorf("list %s in a batch: %q, %v", dir, a.Content, a.Err)
		}
	}
}

// TestLinksAreNotWrittenThrough checks that, in a mount with deny patterns, no operation that
// changes files follows a link, although reading does.
func TestLinksAreNotWrittenThrough(t *testing.T) {
	ws := t.TempDir()
	write(t, ws, map[string]string{"f": "fine", "d/f": "fine", "d/e/f": "fine"})
	symlink(t, "f", filepath.Join(ws, "l"))
	symlink(t, "d", filepath.Join(ws, "ld"))
	symlink(t, ".", filepath.Join(ws, "here"))
	before, past := snapshot(t, ws), time.Unix(1, 0)
	view := newFS(t, readWrite("w", ws, "no-such-name")).View("/w")
	for _, name := range []string{"l", "ld/f", "here/f", "here/ld/f"} {
		if got, err := readFile(view, name); err != nil || got != "fine" {
			t.Errorf("read %s: %q, %v", name, got, err)
		}
		for op, do := range map[string]func() error{
			"write":           func() error { return writeFile(view, name, "new") },
			"open to write":   func() error { _, err := view.Open(name, files.OpenWrite); return err },
			"open to create":  func() error { _, err := view.Open(name, files.OpenCreate); return err },
			"open to append":  func() error { _, err := view.Open(name, files.OpenWrite|files.OpenAppend); return err },
			"open exclusive":  func() error { _, err := view.Open(name, files.OpenCreate|files.OpenExclusive); return err },
			"replace":         func() error { return view.Replace(name, []byte("new"), nil) },
			"set times":       func() error { return view.Chtimes(name, true, past, past) },
			"set times of it": func() error { return view.Chtimes(name, false, past, past) },
			"set times of an open file": func() error {
				f, err := view.Open(name, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				return f.Chtimes(past, past)
			},
		} {
			if err := do(); err == nil {
				t.Errorf("%s: %s succeeded", name, op)
			}
		}
	}
	for op, do := range map[string]func() error{
		"create":      func() error { return writeFile(view, "ld/new", "new") },
		"mkdir":       func() error { return view.Mkdir("ld/new") },
		"unlink":      func() error { return view.Unlink("ld/f") },
		"rmdir":       func() error { return view.Rmdir("ld/e") },
		"rename":      func() error { return view.Rename("ld/f", "new") },
		"rename into": func() error { return view.Rename("f", "ld/new") },
		"set times of the mount": func() error {
			f, err := view.Open("here", files.OpenDirectory)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			return f.Chtimes(past, past)
		},
	} {
		if err := do(); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if after := snapshot(t, ws); !slices.Equal(before, after) {
		t.Errorf("files changed:\n%q\n%q", before, after)
	}
}

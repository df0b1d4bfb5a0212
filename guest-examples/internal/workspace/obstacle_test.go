package workspace

import (
	"io/fs"
	"syscall"
	"testing"
	"testing/fstest"
)

// sandboxFS fails the lookup of some names with the errors that the sandbox returns.
type sandboxFS struct {
	fstest.MapFS
	refused map[string]error
}

func (s sandboxFS) Stat(name string) (fs.FileInfo, error) {
	if err := s.refused[name]; err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return s.MapFS.Stat(name)
}

func TestExplain_obstacles(t *testing.T) {
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(target)}
	}
	fsys := sandboxFS{
		MapFS: fstest.MapFS{
			"a.txt":    {},
			"d/b.txt":  {},
			"d/pipe":   {Mode: fs.ModeNamedPipe},
			"dangling": link("gone/\n"),
			"d/out":    link("../../x"),
			"loop":     link("loop"),
			"denied":   link("d"),
			"topipe":   link("d/pipe"),
			"tofolder": link("d"),
		},
		refused: map[string]error{"d/out": syscall.EPERM, "loop": syscall.ELOOP, "denied": syscall.EACCES},
	}
	for name, want := range map[string]string{
		"dangling":      `path: dangling is a link to "gone/\n", which does not exist`,
		"dangling/x":    `path: dangling/x can't be read: dangling is a link to "gone/\n", which does not exist`,
		"d/out":         "path: d/out is a link that leads out of the workspace",
		"d/out/x/y":     "path: d/out/x/y can't be read: d/out is a link that leads out of the workspace",
		"loop":          "path: loop is a link that leads back to itself",
		"denied/b.txt":  "path: denied/b.txt can't be read: denied is a link that can't be followed; give the path of its target",
		"d/pipe":        "path: d/pipe is not a regular file",
		"topipe":        "path: topipe is not a regular file",
		"a.txt/x":       "path: a.txt/x can't be read: a.txt is a file, not a directory",
		"tofolder/b.tx": "path: tofolder/b.tx does not exist in the workspace; did you mean tofolder/b.txt?",
	} {
		if got := Explain(fsys, "path", name, fs.ErrNotExist).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

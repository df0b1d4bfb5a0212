package files_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// TestClosesAtOnce checks that ClosesAtOnce is true only if Close releases nothing that takes time.
func TestClosesAtOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"f": "old"})
	ws := capability.Grant{FS: grants(readWrite("w", dir))}
	open := func(v files.View, name string) *files.File {
		f, err := v.Open(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, test := range []struct {
		name  string
		grant capability.Grant
		do    func(v files.View) error
		want  bool
	}{
		{"nothing granted", capability.Grant{}, func(files.View) error { return nil }, true},
		{"nothing done", ws, func(files.View) error { return nil }, true},
		{"a file open", ws, func(v files.View) error { open(v, "f"); return nil }, false},
		{"a directory open", ws, func(v files.View) error { open(v, "."); return nil }, false},
		{"files closed", ws, func(v files.View) error { return errors.Join(open(v, "f").Close(), open(v, ".").Close()) }, true},
		{"files that did not open", ws, func(v files.View) error {
			if _, err := v.Open("none", 0); err == nil {
				return errors.New("a missing file was opened")
			}
			return nil
		}, true},
		{"a file written", ws, func(v files.View) error { return errors.Join(writeFile(v, "new", "x"), v.Rename("new", "f")) }, true},
		{"a file replaced", ws, func(v files.View) error { return v.Replace("f", nil, nil) }, true},
		{"a file not replaced", ws, func(v files.View) error {
			if err := v.Replace("f", nil, &files.Seen{None: true}); !errors.Is(err, files.ErrChanged) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		}, true},
		{"a temporary file", ws, func(v files.View) error { return writeFile(v, temp, "x") }, false},
		{"a temporary file by replacing", ws, func(v files.View) error { return v.Replace(temp, nil, nil) }, false},
		{"a temporary file removed", ws, func(v files.View) error { return errors.Join(writeFile(v, temp, "x"), v.Unlink(temp)) }, true},
		{"scratch space", capability.Grant{FS: grants(scratch())}, func(files.View) error { return nil }, true},
		{"scratch space beside a workspace", capability.Grant{FS: grants(readWrite("w", dir), scratch())}, func(files.View) error { return nil }, false},
		{"requests", capability.Grant{Net: []capability.GrantedNet{{}}}, func(files.View) error { return nil }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := hostfuncs.Bind(test.grant, files.Options{ScratchIn: t.TempDir()}, hostfuncs.Services{})
			if err != nil {
				t.Fatal(err)
			}
			if err := test.do(b.Files.View("/w")); err != nil {
				t.Error(err)
			}
			if got := b.ClosesAtOnce(); got != test.want {
				t.Errorf("ClosesAtOnce is %v, want %v", got, test.want)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			<-b.Files.Done()
			if got := filesIn(t, dir); !slices.Equal(got, []string{"f"}) {
				t.Errorf("there is %q", got)
			}
		})
	}
}

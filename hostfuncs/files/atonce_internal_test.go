package files

import (
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// TestClosesAtOnceWithoutOpenFiles checks that ClosesAtOnce is false if Close has to release
// anything that takes time.
func TestClosesAtOnceWithoutOpenFiles(t *testing.T) {
	workspace := capability.GrantedFS{FS: capability.FS{Mount: "workspace", Mode: capability.ModeWrite}}
	scratch := capability.GrantedFS{FS: capability.FS{Mount: capability.ScratchMount, Mode: capability.ModeWrite}}
	for _, test := range []struct {
		name   string
		grants []capability.GrantedFS
		do     func(t *testing.T, b *FS)
		want   bool
	}{
		{name: "nothing granted", want: true},
		{name: "a directory", grants: []capability.GrantedFS{workspace}, want: true},
		{name: "scratch space", grants: []capability.GrantedFS{workspace, scratch}},
		{name: "a file", grants: []capability.GrantedFS{workspace}, do: func(t *testing.T, b *FS) {
			openFile(t, b, "f.txt")
		}},
		{name: "a file that was closed", grants: []capability.GrantedFS{workspace}, want: true, do: func(t *testing.T, b *FS) {
			if err := openFile(t, b, "f.txt").Close(); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a temporary file", grants: []capability.GrantedFS{workspace}, do: func(t *testing.T, b *FS) {
			if err := openFile(t, b, TempPrefix+"0").Close(); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a temporary file that was renamed", grants: []capability.GrantedFS{workspace}, want: true, do: func(t *testing.T, b *FS) {
			if err := openFile(t, b, TempPrefix+"0").Close(); err != nil {
				t.Fatal(err)
			}
			if err := b.View("/workspace").Rename(TempPrefix+"0", "f.txt"); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a file that is being opened", grants: []capability.GrantedFS{workspace}, do: func(t *testing.T, b *FS) {
			if err := b.reserve(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(b.cancel)
		}},
		{name: "a change that is still running after its call was abandoned", grants: []capability.GrantedFS{workspace}, do: func(t *testing.T, b *FS) {
			if err := b.begin(); err != nil {
				t.Fatal(err)
			}
			noted := make(chan struct{})
			go func() {
				defer close(noted)
				b.note(func(t tempNames) {
					t[tempName{b.mounts[0], TempPrefix + "0"}] = nil
					delete(t, tempName{b.mounts[0], TempPrefix + "0"})
				})
			}()
			t.Cleanup(func() {
				<-noted
				b.end()
			})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			grants := append([]capability.GrantedFS{}, test.grants...)
			for i := range grants {
				if grants[i].Mount == "workspace" {
					grants[i].Dir = dir
				}
			}
			b, err := New(grants, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			})
			if test.do != nil {
				test.do(t, b)
			}
			if got := b.ClosesAtOnce(); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func openFile(t *testing.T, b *FS, name string) *File {
	t.Helper()
	f, err := b.View("/workspace").Open(name, OpenWrite|OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

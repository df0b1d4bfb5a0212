package hostfuncs

import (
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Whoever waits for Close is not kept by what takes time to give back.
func TestClosesAtOnce(t *testing.T) {
	workspace := capability.GrantedFS{FS: capability.FS{Mount: "workspace", Mode: capability.ModeWrite}}
	scratch := capability.GrantedFS{FS: capability.FS{Mount: capability.ScratchMount, Mode: capability.ModeWrite}}
	for _, test := range []struct {
		name   string
		grants []capability.GrantedFS
		net    []capability.GrantedNet
		do     func(t *testing.T, b *Bindings)
		want   bool
	}{
		{name: "nothing granted", want: true},
		{name: "a folder", grants: []capability.GrantedFS{workspace}, want: true},
		{name: "scratch space", grants: []capability.GrantedFS{workspace, scratch}},
		{name: "a file", grants: []capability.GrantedFS{workspace}, do: func(t *testing.T, b *Bindings) {
			openFile(t, b, "f.txt")
		}},
		{name: "a file that was closed", grants: []capability.GrantedFS{workspace}, want: true, do: func(t *testing.T, b *Bindings) {
			if err := openFile(t, b, "f.txt").Close(); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a temporary file", grants: []capability.GrantedFS{workspace}, do: func(t *testing.T, b *Bindings) {
			if err := openFile(t, b, TempPrefix+"0").Close(); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a temporary file that became another", grants: []capability.GrantedFS{workspace}, want: true, do: func(t *testing.T, b *Bindings) {
			if err := openFile(t, b, TempPrefix+"0").Close(); err != nil {
				t.Fatal(err)
			}
			if err := b.Files.View("/workspace").Rename(TempPrefix+"0", "f.txt"); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a file that is being opened", grants: []capability.GrantedFS{workspace}, do: func(t *testing.T, b *Bindings) {
			if err := b.Files.reserve(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(b.Files.cancel)
		}},
		{name: "a change that goes on, as of a call that was left behind", grants: []capability.GrantedFS{workspace}, do: func(t *testing.T, b *Bindings) {
			if err := b.Files.begin(); err != nil {
				t.Fatal(err)
			}
			noted := make(chan struct{})
			go func() {
				defer close(noted)
				b.Files.temps[tempName{b.Files.mounts[0], TempPrefix + "0"}] = nil
				delete(b.Files.temps, tempName{b.Files.mounts[0], TempPrefix + "0"})
			}()
			t.Cleanup(func() {
				<-noted
				b.Files.end()
			})
		}},
		{name: "a server", net: []capability.GrantedNet{{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			grants := append([]capability.GrantedFS{}, test.grants...)
			for i := range grants {
				if grants[i].Mount == "workspace" {
					grants[i].Dir = dir
				}
			}
			b, err := Bind(capability.Grant{FS: grants, Net: test.net}, Options{}, Services{})
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

func openFile(t *testing.T, b *Bindings, name string) *File {
	t.Helper()
	f, err := b.Files.View("/workspace").Open(name, OpenWrite|OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

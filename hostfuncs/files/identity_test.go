package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// relink changes the target of a link to a directory.
func relink(t *testing.T, link, dir string) {
	t.Helper()
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no links here: ", err)
	}
}

func TestOnlyTheApprovedDirectoryIsMounted(t *testing.T) {
	a, b, link := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "link")
	relink(t, link, a)
	approved, err := files.Identify(link)
	if err != nil {
		t.Fatal(err)
	}
	same, err := files.Identify(a)
	if err != nil || same.ID != approved.ID || same.Path != approved.Path {
		t.Errorf("the link is %+v, and what it leads to %+v, %v", approved, same, err)
	}
	other, err := files.Identify(b)
	if err != nil || other.ID == approved.ID {
		t.Errorf("two directories are %+v and %+v, %v", approved, other, err)
	}
	bind := func(dir string) error {
		bindings, err := hostfuncs.Bind(capability.Grant{FS: []capability.GrantedFS{{
			FS: capability.FS{Mount: "w", Mode: capability.ModeRead}, Dir: dir, Is: approved.Info,
		}}}, files.Options{}, hostfuncs.Services{})
		if err == nil {
			err = bindings.Close()
		}
		return err
	}
	for _, dir := range []string{link, a} {
		if err := bind(dir); err != nil {
			t.Errorf("the approved directory: %v", err)
		}
	}
	relink(t, link, b)
	for name, dir := range map[string]string{"the link leads elsewhere": link, "another one": b} {
		var refused *files.MountError
		if err := bind(dir); !errors.As(err, &refused) || !strings.Contains(err.Error(), "not the one that was approved") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// Replace the approved directory with another one of the same name.
	if err := os.Rename(a, a+"-kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(a, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := bind(a); err == nil {
		t.Error("another directory of the same name was mounted")
	}
	if _, err := files.Identify(filepath.Join(b, "nothing")); err == nil || strings.Contains(err.Error(), b) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

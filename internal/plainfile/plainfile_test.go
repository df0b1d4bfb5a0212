package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRead(t *testing.T) {
	fsys := fstest.MapFS{
		"a":    {Data: []byte("abc")},
		"dev":  {Mode: fs.ModeDevice},
		"sock": {Mode: fs.ModeSocket},
		"odd":  {Mode: fs.ModeIrregular},
		"d/x":  {},
	}
	for _, tt := range []struct {
		name  string
		limit int
		want  string // the error message; "" for no error
	}{
		{"a", 3, ""},
		{"a", 2, "is larger than the limit of 2B"},
		{"d", 3, "is a directory; name a regular file"},
		{"dev", 3, "is a device; name a regular file"},
		{"sock", 3, "is a socket; name a regular file"},
		{"odd", 3, "is something else; name a regular file"},
	} {
		file, err := fsys.Open(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := Read(file, tt.limit)
		switch {
		case tt.want == "" && (err != nil || string(data) != "abc"):
			t.Errorf("%s: got %q, %v", tt.name, data, err)
		case tt.want != "" && (err == nil || err.Error() != tt.want):
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestReasonNamesNoPath(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"missing", "file/below"} {
		_, err := os.Open(filepath.Join(dir, name))
		if got := Reason(err); !errors.Is(got, ErrMissing) {
			t.Errorf("%s: got %v", name, got)
		}
	}
	for _, cause := range []error{fs.ErrPermission, errors.New("disk on fire")} {
		got := Reason(&fs.PathError{Op: "read", Path: dir, Err: cause})
		if strings.Contains(got.Error(), dir) || strings.Contains(got.Error(), "read "+dir) {
			t.Errorf("%v names the path", got)
		}
	}
}

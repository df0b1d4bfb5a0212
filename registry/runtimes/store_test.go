package runtimes_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/runtimes"
)

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// module stands for an interpreter.
var module = []byte("\x00asm\x01\x00\x00\x00 and more")

// archive returns a package with a file.
func archive(t *testing.T, path string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	out := tar.NewWriter(zip)
	for name, content := range map[string][]byte{"package/LICENSE": []byte("..."), path: content} {
		if err := out.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// release returns a release whose package is packed.
func release(packed []byte) runtimes.Release {
	return runtimes.Release{
		Name: "demo", Version: "1.2.3", SHA256: digest(module), Size: len(module),
		Archive: runtimes.Archive{Package: "demo@1.2.3", SHA256: digest(packed), Size: len(packed), Path: "package/demo.wasm"},
	}
}

func TestAdd(t *testing.T) {
	good := archive(t, "package/demo.wasm", module)
	other := archive(t, "package/demo.wasm", []byte("another module"))
	elsewhere := archive(t, "package/x.wasm", module)
	for name, tt := range map[string]struct {
		packed, in []byte
		want       string // part of the error; "" for success
	}{
		"the package":                    {good, good, ""},
		"the module":                     {good, module, ""},
		"a changed byte":                 {good, append([]byte{0}, good[1:]...), "has the digest"},
		"something else":                 {good, []byte("hello"), "demo@1.2.3 has " + digest(good)},
		"nothing":                        {good, nil, "has the digest"},
		"more bytes":                     {good, append(bytes.Clone(good), make([]byte, 100)...), "has more than"},
		"a package without the module":   {elsewhere, elsewhere, "package/demo.wasm is not in the archive"},
		"a package with another module":  {other, other, "has another digest"},
		"a package that is no gzip file": {[]byte("plain"), []byte("plain"), "is not a gzip file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "runtimes")
			s := runtimes.NewStore(dir, []runtimes.Release{release(tt.packed)})
			err := s.Add("demo", bytes.NewReader(tt.in))
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if files, _ := os.ReadDir(dir); len(files) != 0 {
					t.Errorf("%v is stored", files)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := s.Read("demo"); !bytes.Equal(got, module) || err != nil {
				t.Errorf("read %q, %v", got, err)
			}
			if files, _ := os.ReadDir(dir); len(files) != 1 {
				t.Errorf("%v is stored", files)
			}
		})
	}
}

func TestReadAndRemove(t *testing.T) {
	dir := t.TempDir()
	s := runtimes.NewStore(dir, []runtimes.Release{release(nil)})
	var missing *runtimes.MissingError
	if _, err := s.Read("demo"); !errors.As(err, &missing) || !strings.Contains(err.Error(), "'wasmtool runtime add demo'") {
		t.Errorf("got %v", err)
	}
	if found, err := s.Remove("demo"); found || err != nil {
		t.Errorf("removed %v, %v", found, err)
	}
	if err := s.Add("demo", bytes.NewReader(module)); err != nil {
		t.Fatal(err)
	}
	if err := s.Add("demo", bytes.NewReader(module)); err != nil {
		t.Errorf("added again: %v", err)
	}
	if all := s.List(); len(all) != 1 || !all[0].Here || !s.Has(release(nil)) {
		t.Errorf("the list is %+v", all)
	}
	file := filepath.Join(dir, "demo-1.2.3.wasm")
	if err := os.WriteFile(file, append([]byte{1}, module[1:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read("demo"); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "demo-1.0.0.wasm"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Remove("demo"); !found || err != nil {
		t.Errorf("removed %v, %v", found, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%v is left", files)
	}
	for name, want := range map[string]string{"demi": "did you mean demo?", "xyz": "the runtimes are demo"} {
		for _, err := range []error{s.Add(name, nil), second(s.Remove(name)), second(s.Read(name))} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// An embedded interpreter is always there.
func TestEmbedded(t *testing.T) {
	r := release(nil)
	r.Embedded = module
	s := runtimes.NewStore(t.TempDir(), []runtimes.Release{r})
	if got, err := s.Read("demo"); !bytes.Equal(got, module) || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	if all := s.List(); len(all) != 1 || !all[0].Here {
		t.Errorf("the list is %+v", all)
	}
	for _, err := range []error{s.Add("demo", bytes.NewReader(module)), s.Fetch(t.Context(), "demo", "", egress.Transport{}, nil), second(s.Remove("demo"))} {
		if err == nil || !strings.Contains(err.Error(), "is part of this program") {
			t.Errorf("got %v", err)
		}
	}
}

// A revoked release is not read or added, whatever its file has, but it can be removed.
func TestRevoked(t *testing.T) {
	dir := t.TempDir()
	r := release(nil)
	if err := runtimes.NewStore(dir, []runtimes.Release{r}).Add("demo", bytes.NewReader(module)); err != nil {
		t.Fatal(err)
	}
	r.Revoked = "it reads beyond its memory"
	s := runtimes.NewStore(dir, []runtimes.Release{r})
	const want = "the runtime demo 1.2.3 is revoked: it reads beyond its memory; upgrade wasmtool to a version with another release, and run 'wasmtool runtime add demo'"
	for _, err := range []error{second(s.Read("demo")), s.Add("demo", bytes.NewReader(module)), s.Fetch(t.Context(), "demo", "", egress.Transport{}, nil)} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
	}
	if s.Has(r) {
		t.Error("there is an interpreter to run")
	}
	if all := s.List(); len(all) != 1 || all[0].Revoked == "" || all[0].File != filepath.Join(dir, "demo-1.2.3.wasm") {
		t.Errorf("the list is %+v", all)
	}
	if found, err := s.Remove("demo"); !found || err != nil {
		t.Errorf("removed %v, %v", found, err)
	}
	r.Embedded = module
	if _, err := runtimes.NewStore(dir, []runtimes.Release{r}).Read("demo"); err == nil || err.Error() != want {
		t.Errorf("embedded: got %v", err)
	}
}

func TestMonths(t *testing.T) {
	for _, tt := range []struct {
		date, now string
		want      int
	}{{"2023-10", "2026-11", 37}, {"2026-11", "2026-11", 0}, {"2026-12", "2026-11", 0}} {
		now, err := time.Parse("2006-01", tt.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := (runtimes.Release{Date: tt.date}).Months(now); got != tt.want {
			t.Errorf("from %s to %s: %d months, want %d", tt.date, tt.now, got, tt.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestFetch(t *testing.T) {
	good := archive(t, "package/demo.wasm", module)
	var answer func(w http.ResponseWriter)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
	defer web.Close()
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   string
	}{
		"the package":      {func(w http.ResponseWriter) { _, _ = w.Write(good) }, ""},
		"a copy elsewhere": {func(w http.ResponseWriter) { _, _ = w.Write(good) }, ""},
		"another package":  {func(w http.ResponseWriter) { _, _ = w.Write([]byte("no")) }, "has the digest"},
		"not found":        {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }, "the status 404"},
		"a redirect": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://elsewhere.example/")
			w.WriteHeader(302)
		}, "the status 302"},
		"more than it has": {func(w http.ResponseWriter) { _, _ = w.Write(append(bytes.Clone(good), 1)) }, "the download of demo@1.2.3"},
		"an early end": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(good[:10])
		}, "the download of demo@1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			answer = tt.answer
			r := release(good)
			from := web.URL + "/copy.tgz"
			if name != "a copy elsewhere" {
				r.Archive.URL, from = web.URL+"/demo-1.2.3.tgz", ""
			}
			s := runtimes.NewStore(t.TempDir(), []runtimes.Release{r})
			last := 0
			err := s.Fetch(t.Context(), "demo", from, egress.Transport{}, func(done int) { last = done })
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if _, err := s.Read("demo"); err == nil {
					t.Error("something was added")
				}
				return
			}
			if err != nil {
				t.Error(err)
			}
			if last != len(good) {
				t.Errorf("%d of %d bytes are reported", last, len(good))
			}
			if got, err := s.Read("demo"); !bytes.Equal(got, module) || err != nil {
				t.Errorf("read %q, %v", got, err)
			}
		})
	}
}

// The table is complete, and its URLs can be requested.
func TestReleases(t *testing.T) {
	for _, r := range runtimes.Releases() {
		if r.Embedded != nil {
			if digest(r.Embedded) != r.SHA256 || len(r.Embedded) != r.Size || r.Archive.Package != "" || r.Licences == "" || r.Note == "" {
				t.Errorf("%s: its module has the digest %s and %d bytes", r.Name, digest(r.Embedded), len(r.Embedded))
			}
			continue
		}
		if len(r.SHA256) != 64 || len(r.Archive.SHA256) != 64 || r.Size == 0 || r.Archive.Size == 0 || r.Licences == "" || r.Note == "" || r.Title == "" || r.Updates == "" || r.Months(time.Now()) == 0 ||
			!strings.HasPrefix(r.Archive.URL, "https://registry.npmjs.org/") || !strings.Contains(r.Archive.URL, r.Version) {
			t.Errorf("%+v", r)
		}
	}
}

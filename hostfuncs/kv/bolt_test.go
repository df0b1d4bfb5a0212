package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"go.etcd.io/bbolt"
)

// files returns the paths of the files in a store's directory.
func files(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	return paths
}

// onlyFile returns the path of the only file in a store's directory.
func onlyFile(t testing.TB, dir string) string {
	t.Helper()
	paths := files(t, dir)
	if len(paths) != 1 {
		t.Fatalf("the directory holds %q, want one file", paths)
	}
	return paths[0]
}

func TestBoltKeepsValues(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, err := kv.OpenBolt(dir, kv.Options{})
	must(t, err)
	must(t, s.Put(t.Context(), here, "k", []byte("v")))
	must(t, s.Close())
	wantValue(t, openBolt(t, dir, kv.Options{}), here, "k", "v")
}

func TestBoltFilesBelongToTheUserOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := filepath.Join(t.TempDir(), "kv")
	must(t, openBolt(t, dir, kv.Options{}).Put(t.Context(), here, "k", nil))
	for path, want := range map[string]fs.FileMode{dir: 0o700, onlyFile(t, dir): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("mode of %s is %v, want %v", path, info.Mode().Perm(), want)
		}
	}
	must(t, os.Chmod(dir, 0o770))
	_, err := kv.OpenBolt(dir, kv.Options{})
	wantKind(t, err, kv.Unavailable)
}

func TestBoltCreatesNoFileWithoutAValue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	s := openBolt(t, dir, kv.Options{MaxBytes: 1})
	must(t, s.Delete(t.Context(), here, "k"))
	_, err := s.Get(t.Context(), here, "k")
	wantKind(t, err, kv.NotFound)
	wantKind(t, s.Put(t.Context(), here, "k", []byte("v")), kv.QuotaBytes)
	if swapped, err := s.Swap(t.Context(), here, "k", []byte("old"), nil); swapped || err != nil {
		t.Fatalf("swapped %v, %v", swapped, err)
	}
	if paths := files(t, dir); len(paths) != 0 {
		t.Errorf("the directory holds %q", paths)
	}
}

func TestBoltSweepsOnlyOldLeftovers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	must(t, os.Mkdir(dir, 0o700))
	old, young := filepath.Join(dir, "new-old"), filepath.Join(dir, "new-young")
	must(t, os.WriteFile(old, nil, 0o600))
	must(t, os.WriteFile(young, nil, 0o600))
	day := time.Now().Add(-24 * time.Hour)
	must(t, os.Chtimes(old, day, day))
	openBolt(t, dir, kv.Options{})
	if got := onlyFile(t, dir); got != young {
		t.Errorf("%s is left", got)
	}
}

// TestBoltMatchesAModel makes many changes of sizes that create, split and empty pages.
func TestBoltMatchesAModel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	// The two stores share no memory, so each one finds the file changed by the other.
	pair := []kv.Store{openBolt(t, dir, kv.Options{}), openBolt(t, dir, kv.Options{})}
	model := kv.NewMemory(kv.Options{})
	for i := range 400 {
		key := strings.Repeat(fmt.Sprint(i*7919%101, "-"), 1+i%40)
		value := bytes.Repeat([]byte{byte(i)}, i*i%9000)
		for _, s := range []kv.Store{pair[i/3%2], model} {
			if i%4 == 3 {
				must(t, s.Delete(t.Context(), here, key))
			} else {
				must(t, s.Put(t.Context(), here, key, value))
			}
		}
	}
	want, err := model.List(t.Context(), here, "", "", 0)
	must(t, err)
	for _, s := range pair {
		got, err := s.List(t.Context(), here, "", "", 0)
		must(t, err)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("lists %d keys, want %d", len(got), len(want))
		}
		for _, key := range want {
			value, err := model.Get(t.Context(), here, key)
			must(t, err)
			wantValue(t, s, here, key, string(value))
		}
	}
}

func TestBoltFileStaysBounded(t *testing.T) {
	const most = 256 << 10
	dir := filepath.Join(t.TempDir(), "kv")
	s := openBolt(t, dir, kv.Options{MaxBytes: most, MaxKeys: 64})
	for i := range 300 {
		err := s.Put(t.Context(), here, fmt.Sprint(i%64), make([]byte, i*4099%40_000))
		if e := (*kv.Error)(nil); errors.As(err, &e) && e.Kind == kv.QuotaBytes {
			must(t, s.Delete(t.Context(), here, fmt.Sprint((i+32)%64)))
		} else {
			must(t, err)
		}
	}
	info, err := os.Stat(onlyFile(t, dir))
	must(t, err)
	if limit := int64(4*most + 2<<20); info.Size() > limit {
		t.Errorf("the file has %d bytes, want at most %d", info.Size(), limit)
	}
}

func TestBoltLowerQuotaLosesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	must(t, openBolt(t, dir, kv.Options{}).Put(t.Context(), here, "k", make([]byte, 100)))
	s := openBolt(t, dir, kv.Options{MaxBytes: 10})
	wantValue(t, s, here, "k", strings.Repeat("\x00", 100))
	wantKind(t, s.Put(t.Context(), here, "l", nil), kv.QuotaBytes)
	must(t, s.Put(t.Context(), here, "k", []byte("less")))
	must(t, s.Delete(t.Context(), here, "k"))
}

// lock locks a file as another process would.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	return func() { must(t, db.Close()) }
}

func TestBoltWaitIsLimited(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	must(t, openBolt(t, dir, kv.Options{}).Put(t.Context(), here, "k", nil))
	unlock := lock(t, onlyFile(t, dir))
	defer unlock()

	impatient := openBolt(t, dir, kv.Options{Wait: time.Millisecond})
	_, err := impatient.Get(t.Context(), here, "k")
	wantKind(t, err, kv.Timeout)
	wantKind(t, impatient.Put(t.Context(), here, "k", nil), kv.Timeout)
	must(t, impatient.Put(t.Context(), kv.Namespace{Tool: "other"}, "k", nil))

	patient := openBolt(t, dir, kv.Options{Wait: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	err = patient.Put(ctx, here, "k", nil)
	wantKind(t, err, kv.Timeout)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v does not wrap the context's error", err)
	}
}

func TestBoltProceedsWhenTheLockIsFree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	s := openBolt(t, dir, kv.Options{Wait: time.Hour})
	must(t, s.Put(t.Context(), here, "k", nil))
	unlock := lock(t, onlyFile(t, dir))
	done := make(chan error, 1)
	go func() { done <- s.Put(t.Context(), here, "k", []byte("v")) }()
	unlock()
	must(t, <-done)
	wantValue(t, s, here, "k", "v")
}

func TestBoltCloseEndsWaitingCalls(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	s := openBolt(t, dir, kv.Options{Wait: time.Hour})
	must(t, s.Put(t.Context(), here, "k", nil))
	unlock := lock(t, onlyFile(t, dir))
	defer unlock()
	done := make(chan error, 2)
	for range 2 {
		go func() { done <- s.Put(t.Context(), here, "k", nil) }()
	}
	must(t, s.Close())
	wantKind(t, <-done, kv.Unavailable)
	wantKind(t, <-done, kv.Unavailable)
}

func TestBoltDirectoryGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	s := openBolt(t, dir, kv.Options{})
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("an open directory cannot be removed here")
	}
	err := s.Put(t.Context(), here, "k", nil)
	wantKind(t, err, kv.Unavailable)
	if strings.Contains(err.Error(), filepath.Dir(dir)) {
		t.Errorf("%q shows a path of the host", err)
	}
}

func TestOpenBoltErrorsShowNoPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, nil, 0o600))
	for _, dir := range []string{path, filepath.Join(path, "below")} {
		_, err := kv.OpenBolt(dir, kv.Options{})
		wantKind(t, err, kv.Unavailable)
		if strings.Contains(err.Error(), path) {
			t.Errorf("%q shows a path of the host", err)
		}
	}
}

package secret

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// counted is a source that counts how often it is read.
type counted struct {
	value string
	err   error
	reads int
}

func (*counted) Kind() string { return "test" }

func (c *counted) Value(context.Context) ([]byte, error) {
	c.reads++ // the Store makes one call at a time
	return []byte(c.value), c.err
}

var inHeader = capability.SecretUse{Name: "TOKEN", Header: "Authorization"}

func TestStoreReadsOnceAndAgainAfterTTL(t *testing.T) {
	source := &counted{value: "v"}
	s := New(map[string]Source{"TOKEN": source, "NIL": nil}, Options{TTL: time.Minute})
	now := time.Unix(0, 0)
	s.now = func() time.Time { return now }
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if v, err := s.Value(t.Context(), inHeader); v != "v" || err != nil {
				t.Error(v, err)
			}
		})
	}
	all.Wait()
	if source.reads != 1 {
		t.Errorf("%d reads, want 1", source.reads)
	}
	now = now.Add(time.Minute)
	if _, err := s.Value(t.Context(), inHeader); err != nil || source.reads != 2 {
		t.Error(source.reads, err)
	}
	if s.Exists("NIL") || !s.Exists("TOKEN") || len(s.Names()) != 1 || fmt.Sprintf("%+v", s) != "[secret]" {
		t.Errorf("%v %+v", s.Names(), s)
	}
}

func TestStoreTriesAgainAfterAFailure(t *testing.T) {
	source := &counted{err: errors.New("is away")}
	s := New(map[string]Source{"TOKEN": source}, Options{})
	_, err := s.Value(t.Context(), inHeader)
	var typed *Error
	if !errors.As(err, &typed) || err.Error() != "secret TOKEN (test): is away" {
		t.Error(err)
	}
	source.err, source.value = nil, "v"
	if v, err := s.Value(t.Context(), inHeader); v != "v" || err != nil {
		t.Error(v, err)
	}
}

func TestValueFitsItsUse(t *testing.T) {
	query, basic := capability.SecretUse{Name: "TOKEN", Query: "key"}, capability.SecretUse{Name: "TOKEN", Basic: true}
	for _, c := range []struct {
		value, problem string
		use            capability.SecretUse
	}{
		{"ok", "", inHeader},
		{" ok", "", query},
		{"u:p", "", basic},
		{"", "is empty", inHeader},
		{"a\r\nX: y", "control character", inHeader},
		{"a\x00", "control character", query},
		{"a ", "space", inHeader},
		{"user", "user:password", basic},
		{strings.Repeat("x", 8<<10+1), "8 KiB", inHeader},
		{"ok", "exactly one", capability.SecretUse{Name: "TOKEN"}},
		{"ok", "not configured", capability.SecretUse{Name: "OTHER", Query: "k"}},
	} {
		_, err := New(map[string]Source{"TOKEN": &counted{value: c.value}}, Options{}).Value(t.Context(), c.use)
		if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%.20q: %v, want %q", c.value, err, c.problem)
		}
	}
}

// read returns the value or the error of a source as text.
func read(s Source) string {
	p, err := s.Value(context.Background())
	if err != nil {
		return "error: " + err.Error()
	}
	return string(p)
}

func expect(t *testing.T, s Source, want string) {
	t.Helper()
	if got := read(s); !strings.HasPrefix(got, want) {
		t.Errorf("%s: %.80q, want %q", s.Kind(), got, want)
	}
}

func TestFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good", "value\n\n", 0o600)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	expect(t, FromFile(good), "value\n")
	expect(t, FromFile(link), "error: is not in a regular file")
	expect(t, FromFile(dir), "error: is not in a regular file")
	expect(t, FromFile(file("open", "value", 0o644)), "error: is in a file that users other than its owner")
	expect(t, FromFile(file("long", strings.Repeat("x", MaxSource+1), 0o600)), "error: is longer")
	expect(t, FromFile(filepath.Join(dir, "none")), "error: is in a file that does not exist")
	if got := read(FromFile(filepath.Join(dir, "none"))); strings.Contains(got, dir) {
		t.Errorf("shows the path: %s", got)
	}
	// Other users could replace the file in this directory.
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	expect(t, FromFile(good), "error: is in a file that can be replaced by other users, who can write to its directory")
}

func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs sh")
	}
	expect(t, FromCommand([]string{"sh", "-c", "echo value"}), "value")
	expect(t, FromCommand([]string{"echo", "$HOME"}), "$HOME")
	expect(t, FromCommand(nil), "error: has an empty command")
	expect(t, FromCommand([]string{"/no/such/program"}), "error: has a command that cannot be started")
	expect(t, FromCommand([]string{"sh", "-c", "yes"}), "error: is longer")
	if got := read(FromCommand([]string{"sh", "-c", "echo leaked >&2; exit 1"})); !strings.HasPrefix(got, "error: has a command that failed") || strings.Contains(got, "leaked") {
		t.Error(got)
	}
	// The child process holds the other end of the pipe, so reading from the pipe ends when the
	// child dies.
	ends, child, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ends.Close()
	slow := fromCommand([]string{"sh", "-c", fmt.Sprintf("sleep 100 >/proc/%d/fd/%d & sleep 100", os.Getpid(), child.Fd())}, 200*time.Millisecond)
	expect(t, slow, "error: has a command that takes longer")
	child.Close()
	if runtime.GOOS == "linux" { // where /proc gives access to the child's end of the pipe
		if err := ends.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if n, err := ends.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d bytes, %v; want the end", n, err)
		}
	}
}

func TestEnvAndFunc(t *testing.T) {
	lookup := func(name string) (string, bool) { return "value", name == "SET" }
	expect(t, FromEnv("SET", lookup), "value")
	expect(t, FromEnv("UNSET", lookup), "error: is not set")
	expect(t, FromEnv("SET", nil), "error: cannot be read")
	for want, err := range map[string]error{"value": nil, "error: is not there": errors.New("is not there")} {
		expect(t, FromFunc("vault", func() (string, error) { return "value", err }), want)
	}
	expect(t, FromFunc("vault", func() (string, error) { return strings.Repeat("x", MaxSource+1), nil }), "error: is longer than 64 KiB")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FromFunc("vault", func() (string, error) { return "value", nil }).Value(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

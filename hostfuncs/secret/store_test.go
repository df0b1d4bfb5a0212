package secret

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

const hush = "hush-hush-value"

func header(name string) capability.SecretUse {
	return capability.SecretUse{Name: name, Header: "Authorization"}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lookup := func(name string) (string, bool) { return hush, name == "SET" }
	keyring.MockInit()
	if err := keyring.Set("service", "user", hush); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		source Source
		want   string // part of the error; empty for success
	}{
		"variable":             {FromEnv("SET", lookup), ""},
		"no variable":          {FromEnv("UNSET", lookup), "from a variable: the variable is not set"},
		"file":                 {FromFile(file("a", hush+"\n", 0o600)), ""},
		"file of others":       {FromFile(file("b", hush, 0o644)), "others can read"},
		"no file":              {FromFile(filepath.Join(dir, "none")), "there is no such file"},
		"a folder":             {FromFile(dir), "regular"},
		"an empty file":        {FromFile(file("c", "\n", 0o600)), "empty"},
		"a large file":         {FromFile(file("d", strings.Repeat("x", MaxBytes+1), 0o600)), "more than"},
		"keyring":              {FromKeyring("service", "user"), ""},
		"nothing in a keyring": {FromKeyring("service", "nobody"), "no such entry"},
		"no command":           {FromCommand(nil), "no command"},
		"a command that fails": {FromCommand([]string{filepath.Join(dir, "none")}), "failed"},
	}
	for name, tt := range tests {
		if runtime.GOOS == "windows" && name == "file of others" {
			continue
		}
		s := New(map[string]Entry{"KEY": {Source: tt.source}})
		got, err := s.Value(t.Context(), header("KEY"))
		switch {
		case tt.want == "" && (err != nil || got != hush):
			t.Errorf("%s: %q, %v", name, got, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "KEY")):
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		case err != nil && (strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), hush)):
			t.Errorf("%s tells too much: %v", name, err)
		}
	}
}

func TestCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	s := New(map[string]Entry{
		"GOOD":  {Source: FromCommand([]string{"sh", "-c", "echo " + hush})},
		"NOISY": {Source: FromCommand([]string{"sh", "-c", "echo " + hush + " >&2; exit 3"})},
		"FLOOD": {Source: FromCommand([]string{"sh", "-c", "yes | head -c 1000000"})},
		"HANGS": {Source: FromCommand([]string{"sh", "-c", "sleep 1000 & sleep 1000"})},
	})
	if got, err := s.Value(t.Context(), header("GOOD")); err != nil || got != hush {
		t.Errorf("got %q, %v", got, err)
	}
	for _, name := range []string{"NOISY", "FLOOD"} {
		if _, err := s.Value(t.Context(), header(name)); err == nil || strings.Contains(err.Error(), hush) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := s.Value(ctx, header("HANGS")); err == nil || time.Since(start) > 5*time.Second {
		t.Errorf("a command that hangs: %v after %v", err, time.Since(start))
	}
}

func TestValueFitsItsUse(t *testing.T) {
	value := func(text string) *Store {
		return New(map[string]Entry{"K": {Source: FromEnv("K", func(string) (string, bool) { return text, true })}})
	}
	tests := []struct {
		value string
		use   capability.SecretUse
		fits  bool
	}{
		{"token", capability.SecretUse{Name: "K", Header: "X"}, true},
		{"a\r\nHost: b", capability.SecretUse{Name: "K", Header: "X"}, false},
		{"a\x00b", capability.SecretUse{Name: "K", Header: "X"}, false},
		{"user:pass", capability.SecretUse{Name: "K", Basic: true}, true},
		{"userpass", capability.SecretUse{Name: "K", Basic: true}, false},
		{"us\ner:pass", capability.SecretUse{Name: "K", Basic: true}, false},
		{"a b&c", capability.SecretUse{Name: "K", Query: "k"}, true},
		{"a\x00b", capability.SecretUse{Name: "K", Query: "k"}, false},
	}
	for _, tt := range tests {
		got, err := value(tt.value).Value(t.Context(), tt.use)
		if (err == nil) != tt.fits || tt.fits && got != tt.value {
			t.Errorf("%q for %+v: %q, %v", tt.value, tt.use, got, err)
		}
	}
	if _, err := value("x").Value(t.Context(), header("OTHER")); err == nil || !strings.Contains(err.Error(), "OTHER") {
		t.Errorf("an unknown secret: %v", err)
	}
}

// counted counts how often a value is read.
type counted struct {
	reads atomic.Int32
	err   error
}

func (c *counted) Kind() string { return "test" }
func (c *counted) Value(context.Context) ([]byte, error) {
	c.reads.Add(1)
	return []byte(hush), c.err
}

func TestValuesAreReadOnceAndAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &counted{}
		s := New(map[string]Entry{"K": {Source: source, TTL: time.Minute}})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if got, err := s.Value(t.Context(), header("K")); err != nil || got != hush {
					t.Errorf("got %q, %v", got, err)
				}
			})
		}
		wg.Wait()
		if n := source.reads.Load(); n != 1 {
			t.Errorf("read %d times", n)
		}
		time.Sleep(time.Minute)
		_, _ = s.Value(t.Context(), header("K"))
		if n := source.reads.Load(); n != 2 {
			t.Errorf("read %d times after a minute", n)
		}
		// A failure is not remembered.
		failing := &counted{err: errors.New("not now")}
		s = New(map[string]Entry{"K": {Source: failing}})
		for range 2 {
			if _, err := s.Value(t.Context(), header("K")); err == nil {
				t.Error("no error")
			}
		}
		if n := failing.reads.Load(); n != 2 {
			t.Errorf("a failure was read %d times", n)
		}
	})
}

// Nothing that is printed of a Store holds a value.
func TestStoreIsNotPrinted(t *testing.T) {
	s := New(map[string]Entry{"K": {Source: &counted{}}})
	if _, err := s.Value(t.Context(), header("K")); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, s); strings.Contains(text, hush) {
			t.Errorf("%s prints %s", format, text)
		}
	}
	var none *Store
	if none.Exists("K") || none.Names() != nil {
		t.Error("no Store has secrets")
	}
}

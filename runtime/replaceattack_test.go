package runtime

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// A call that ends while it replaces a file leaves the old or the new content, and no other file.
func TestCallThatEndsWhileReplacingLeavesWholeFile(t *testing.T) {
	const pages = 48 << 20 / (64 << 10) // twelve pieces of 4 MiB, written one by one
	module := replacing("/w/f", whatever, "")
	module.Memory = []uint32{pages}
	// Loop, so that a replacement is always running.
	module.Funcs[0].Body = wasmtest.Code(
		[]byte{wasmtest.Loop, wasmtest.Empty},
		calls(4, askedAt, int32(len("/w/f")), 0, 0, 0, pages<<16),
		[]byte{wasmtest.Br, 0, wasmtest.End}, wasmtest.Const(0),
	)
	r := newRuntime(t, Options{})
	m := load(t, r, module.Bytes())
	w, grant := editable(t)
	b, err := hostfuncs.Bind(grant, files.Options{MaxWritten: 1 << 40}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := m.Call(ctx, Call{Entry: Entry{ABI: Reactor}, Bindings: b})
		ended <- err
	}()
	for begun := false; !begun; {
		select {
		case err := <-ended:
			t.Fatalf("it ended by itself: %v", err)
		default:
			found, err := filepath.Glob(filepath.Join(w, files.TempPrefix+"*"))
			if err != nil {
				t.Fatal(err)
			}
			begun = len(found) > 0
		}
	}
	cancel()
	if err := <-ended; reasonOf(t, err) != Cancelled {
		t.Errorf("got %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	<-b.Files.Done()
	content, err := os.ReadFile(filepath.Join(w, "f"))
	if err != nil || string(content) != "old" && len(content) != pages<<16 {
		t.Errorf("partial content: %d bytes, %v", len(content), err)
	}
	requireFiles(t, w, map[string]string{"f": string(content), "d/g": "old"})
}

// A request that fails gets an error number of WASI, or an error with a reason, and changes
// nothing. After a request that succeeds, the file has the new content, and its earlier state was
// the state that the guest expected.
func FuzzReplaceRequest(f *testing.F) {
	w, grant := editable(f)
	b, err := hostfuncs.Bind(grant, files.Options{MaxCreated: 1 << 30, MaxWritten: 1 << 50}, hostfuncs.Services{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { b.Close() })
	r, view := newRuntime(f, Options{}), b.Files.View("/")
	seen := recordOf(f, filepath.Join(w, "d/g"))
	f.Add([]byte("/w/d/g"), seen, false, []byte("mine"))
	f.Add([]byte("/w/f"), []byte{}, false, []byte{})
	f.Add([]byte("w/d/../new"), []byte{}, true, []byte("mine"))
	f.Add([]byte("/w/f"), record(answer{errno: 44}), false, []byte("mine"))
	f.Add([]byte("/w/f"), record(answer{errno: 2, kind: 4, size: 3}), false, []byte("mine"))
	f.Add([]byte("/w/f"), seen[:31], false, []byte("mine"))
	f.Add([]byte("/ro/f"), seen, false, []byte("mine"))
	f.Add([]byte("/w/a.secret\x00"), seen, false, []byte("mine"))
	f.Add([]byte("/../"+w+"/f"), []byte{}, false, []byte("mine"))
	f.Add([]byte(strings.Repeat("/w/..", 900)+"/w/f\xc3"), []byte{}, true, []byte("mine"))
	base := map[string]string{"f": "old", "d/g": "old"}
	f.Fuzz(func(t *testing.T, name, seen []byte, nothing bool, content []byte) {
		if nothing {
			seen = nil
		} else if seen == nil {
			seen = whatever
		}
		was, lookErr := view.Lstat(string(name))
		s := requests(r, b)
		defer s.End()
		code := int32(s.Answer(s.ReplaceFile(name, seen, content)))
		switch {
		case code < 0:
			if s.LastError == nil || s.LastError.Kind != "seen" || int32(s.LastError.Code) != code {
				t.Errorf("code %d for the reason %+v", code, s.LastError)
			}
		case code > 76: // 76 is the largest error number of WASI
			t.Errorf("it returned %d", code)
		case code == 0:
			there := lookErr == nil
			if expected, err := abi.ParseSeen(seen); err != nil || expected != nil && (expected.None == there || there && expected.Size != was.Size()) {
				t.Errorf("%q was replaced as %+v, %v, and was %v, %v", name, expected, err, was, lookErr)
			}
			if info, err := view.Lstat(string(name)); err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(content)) {
				t.Errorf("%q is %v, %v after it got %d bytes", name, info, err, len(content))
			}
			if err := view.Unlink(string(name)); err != nil {
				t.Fatal(err)
			}
			for file, content := range base {
				if _, err := os.Lstat(filepath.Join(w, file)); errors.Is(err, fs.ErrNotExist) {
					if err := os.WriteFile(filepath.Join(w, file), []byte(content), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		requireFiles(t, w, base)
	})
}

// A call loses its files when it ends, even if it hangs in the host and is abandoned. What an
// abandoned call does later changes nothing.
func TestAbandonedCallReplacesNothing(t *testing.T) {
	w, grant := editable(t)
	grant.Clock = true
	b := bind(t, grant)
	clock := &blockingClock{Clock: b.Clock, entered: make(chan struct{}, 1), release: make(chan struct{})}
	b.Clock = clock
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-clock.entered
		cancel()
	}()
	m := goGuest(t)
	if _, err := m.Call(ctx, Call{Args: []string{"sleep", "1s"}, Bindings: b}); reasonOf(t, err) != Cancelled {
		t.Fatalf("got %v", err)
	}
	view := b.Files.View("/w")
	if _, err := view.Lstat("f"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("look: %v", err)
	}
	if err := view.Replace("f", []byte("mine"), nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("replace: %v", err)
	}
	close(clock.release)
	requireFiles(t, w, map[string]string{"f": "old", "d/g": "old"})
}

package guestfs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	wazerosys "github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
)

// canary is content that no guest may ever read.
const canary = "CANARY: from outside the grant"

// Descriptors of the guest: the preopens, from 3 on.
const (
	fdRoot = 3
	fdWork = 4
	last   = -1 // the descriptor of the last path_open
)

// Flags and rights, named as in wasi_snapshot_preview1.
const (
	symlinkFollow = 1

	oflagCreat, oflagDirectory, oflagExcl, oflagTrunc = 1, 2, 4, 8

	fdflagAppend, fdflagDsync, fdflagNonblock, fdflagRsync, fdflagSync = 1, 2, 4, 8, 16

	rightRead, rightWrite = 1 << 1, 1 << 6

	setAtim, setAtimNow, setMtim, setMtimNow = 1, 2, 4, 8
)

// op and result mirror the types of the guest.
type op struct {
	Op                      string
	FD, FD2                 int32
	Path, Path2             []byte
	Flags, OFlags, FDFlags  uint32
	Rights                  uint64
	Offset, Size            uint64
	Whence, Bytes, Repeated uint32
	Data                    []byte
}

type result struct {
	Op    string
	Errno string
	FD    int32
	N     uint64
	Data  []byte
}

func path(s string) []byte { return []byte(s) }

// open returns a path_open that follows links, for a name in the workspace.
func open(name string) op {
	return op{Op: "path_open", FD: fdWork, Path: path(name), Flags: symlinkFollow, Rights: rightRead}
}

// guest returns the compiled test program, which is built once for all tests of the package.
var guest = sync.OnceValues(func() (compiledGuest, error) {
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		return compiledGuest{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-o", file, "./testdata/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=-mod=readonly")
	if out, err := build.CombinedOutput(); err != nil {
		return compiledGuest{}, &buildError{err, string(out)}
	}
	binary, err := os.ReadFile(file)
	if err != nil {
		return compiledGuest{}, err
	}
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return compiledGuest{}, err
	}
	module, err := runtime.CompileModule(ctx, binary)
	return compiledGuest{runtime, module}, err
})

type compiledGuest struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

type buildError struct {
	err error
	out string
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + e.out }

// newFS opens dir as a read-only workspace.
func newFS(t testing.TB, o files.Options, dir string, deny ...string) *files.FS {
	t.Helper()
	return bind(t, o, workspace(capability.ModeRead, dir, deny...))
}

// newWritableFS opens dir as a writable workspace.
func newWritableFS(t testing.TB, o files.Options, dir string, deny ...string) *files.FS {
	t.Helper()
	return bind(t, o, workspace(capability.ModeWrite, dir, deny...))
}

func workspace(mode capability.Mode, dir string, deny ...string) capability.GrantedFS {
	return capability.GrantedFS{FS: capability.FS{Mount: "workspace", Mode: mode, Deny: deny}, Dir: dir}
}

func bind(t testing.TB, o files.Options, grants ...capability.GrantedFS) *files.FS {
	t.Helper()
	fsys, err := files.New(grants, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fsys.Close() })
	return fsys
}

// run lets the guest perform operations on files, with / and /workspace as preopens, and returns
// their results.
func run(t testing.TB, fsys func() *files.FS, ops ...op) []result {
	t.Helper()
	g, err := guest()
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(ops)
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	mounts := wazero.NewFSConfig()
	for _, dir := range []string{"/", "/workspace"} {
		mounts = mounts.(sysfs.FSConfig).WithSysFSMount(guestfs.New(fsys, dir, &guestfs.Traces{}), dir)
	}
	config := wazero.NewModuleConfig().WithName("").WithFSConfig(mounts).
		WithStdin(bytes.NewReader(in)).WithStdout(&out).WithStderr(&errOut)
	instance, err := g.runtime.InstantiateModule(t.Context(), g.module, config)
	if exit, ok := err.(*wazerosys.ExitError); ok && exit.ExitCode() == 0 {
		err = nil
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	if instance != nil {
		if err := instance.Close(context.Background()); err != nil {
			t.Errorf("close the instance: %v", err)
		}
	}
	var results []result
	if err := json.Unmarshal(out.Bytes(), &results); err != nil {
		t.Fatal(err)
	}
	if len(results) != len(ops) {
		t.Fatalf("%d results of %d operations", len(results), len(ops))
	}
	return results
}

// always returns a function that returns fsys.
func always(fsys *files.FS) func() *files.FS {
	return func() *files.FS { return fsys }
}

// write creates files below dir, with the directories that they need.
func write(t testing.TB, dir string, fsys map[string]string) {
	t.Helper()
	for name, content := range fsys {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

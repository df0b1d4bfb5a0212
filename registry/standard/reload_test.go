package standard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// held is a tool that runs until the test releases it or its context ends. Its result is the
// directory of its workspace.
type held struct {
	// began receives, for each call, the channel that releases it.
	began chan chan struct{}
}

func (h *held) Prepare(context.Context) error { return nil }
func (h *held) Close() error                  { return nil }
func (h *held) Digest(context.Context) (string, error) {
	return "sha256:" + strings.Repeat("a", 64), nil
}

func (h *held) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	goOn := make(chan struct{})
	h.began <- goOn
	select {
	case <-goOn:
		return tool.Result{Content: []tool.Content{tool.TextContent(filepath.Base(in.Grant.FS[0].Dir))}}, nil
	case <-ctx.Done():
		return tool.Result{}, &tool.Error{Code: tool.CodeCancelled, Message: "stopped"}
	}
}

// reloading is a registry with a held tool, created from an operator's file that the test can
// rewrite.
type reloading struct {
	t        *testing.T
	dir      string
	tools    *registry.Registry
	held     *held
	reloader *standard.Reloader
}

func newReloading(t *testing.T, text string) *reloading {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l := &reloading{t: t, dir: dir, held: &held{began: make(chan chan struct{}, 1)}}
	file := config.File{Path: filepath.Join(dir, "wasmtool.toml"), Name: "wasmtool.toml"}
	if text != "" {
		l.write(text)
	}
	read, err := config.Load(file, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	o := standard.Options{
		Config:    read,
		Workspace: filepath.Join(dir, "one"),
		Sources:   standard.Sources{NoBuiltins: true},
		StateDir:  filepath.Join(dir, "state"),
		NoCache:   true,
	}
	if l.tools, err = standard.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.tools.Close() })
	spec := tool.Spec{Name: "held", Version: "1.0.0", Description: "Waits.", Permissions: capability.Permissions{
		FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeRead}},
	}}
	if err := l.tools.Tools().Register(spec, l.held); err != nil {
		t.Fatal(err)
	}
	l.reloader = standard.NewReloader(l.tools, o, file, os.LookupEnv)
	return l
}

func (l *reloading) write(text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, "wasmtool.toml"), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

func (l *reloading) reload() (standard.Reload, error) { return l.reloader.Reload(l.t.Context()) }

// begin begins a call and returns the channel of its result and the channel that releases it.
func (l *reloading) begin() (told chan string, goOn chan struct{}) {
	l.t.Helper()
	told = make(chan string, 1)
	go func() {
		result, err := l.tools.Execute(context.Background(), tool.Call{Tool: "held", Arguments: json.RawMessage(`{}`)})
		told <- fmt.Sprint(result.Text(), "|", tool.CodeOf(err))
	}()
	select {
	case goOn = <-l.held.began:
	case text := <-told:
		l.t.Fatalf("the call did not begin: %s", text)
	}
	return told, goOn
}

// calls runs a call to its end.
func (l *reloading) calls() string {
	l.t.Helper()
	told, goOn := l.begin()
	close(goOn)
	return <-told
}

func TestReloadWhileACallRuns(t *testing.T) {
	l := newReloading(t, "")
	running, goOn := l.begin()
	l.write("[mounts]\nworkspace = \"two\"\n")
	if got, err := l.reload(); err != nil || !got.Changed || len(got.Pending) > 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if got := l.calls(); got != "two|" {
		t.Errorf("a call that begins afterwards got %s", got)
	}
	close(goOn)
	if got := <-running; got != "one|" {
		t.Errorf("the call that ran got %s", got)
	}
	if got, err := l.reload(); err != nil || got.Changed {
		t.Errorf("without a change: %+v, %v", got, err)
	}
	stopped, _ := l.begin()
	l.write("[revoked]\ndigests = [\"sha256:" + strings.Repeat("a", 64) + "\"]\n")
	if _, err := l.reload(); err != nil {
		t.Fatal(err)
	}
	if got := <-stopped; !strings.HasSuffix(got, "|disabled") {
		t.Errorf("a call of a tool that is revoked ended with %s", got)
	}
}

func TestAFileThatCannotBeUsedChangesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		code tool.Code
		want string
	}{
		"a fault":                {"[mounts]\nworkspace = \"two\"\n[polcy]\n", tool.CodeUsage, "wasmtool.toml:3:2: polcy"},
		"half written":           {"[mounts]\nworkspace = \"tw", tool.CodeUsage, "wasmtool.toml:2"},
		"a group that is not":    {"[mounts]\nworkspace = \"two\"\n[policy]\ndeny = [\"group:sf\"]\n", tool.CodeUsage, "did you mean group:fs?"},
		"a folder that is not":   {"[mounts]\nworkspace = \"three\"\n", tool.CodePermissionDenied, "mount workspace: the directory does not exist"},
		"gone":                   {"", tool.CodeUsage, "wasmtool.toml: the file is gone"},
		"others could change it": {"[mounts]\nworkspace = \"two\"\n# 0666", tool.CodeUsage, "can be changed by other users"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newReloading(t, "[env]\nLANG = \"C\"\n")
			path := filepath.Join(l.dir, "wasmtool.toml")
			l.write(tt.text)
			switch name {
			case "gone":
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			case "others could change it":
				if err := os.Chmod(path, 0o666); err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o666 || os.PathSeparator != '/' {
					t.Skip("modes do not tell here who can write")
				}
			}
			got, err := l.reload()
			var e *tool.Error
			if !errors.As(err, &e) || e.Code != tt.code || !strings.Contains(e.Message, tt.want) || got.Changed {
				t.Errorf("got %+v, %v, want %s", got, err, tt.want)
			}
			if strings.Contains(err.Error(), l.dir) {
				t.Errorf("%v names a folder of the host", err)
			}
			if got := l.calls(); got != "one|" {
				t.Errorf("a call got %s", got)
			}
		})
	}
}

func TestChangesThatNeedARestartAreReported(t *testing.T) {
	start := "[servers.a]\ncommand = [\"a\"]\n[servers.b]\ncommand = [\"b\"]\n[servers.c]\ncommand = [\"c\"]\n[secrets.A]\nenv = \"A\"\n[secrets.B]\nenv = \"B\"\nurls = [\"https://b.example/\"]\n"
	l := newReloading(t, start)
	l.write("[mounts]\nworkspace = \"two\"\n[limits]\nmemory = \"1MiB\"\n[audit]\nfile = \"a.jsonl\"\n" +
		"[secrets.A]\nfile = \"a\"\n[secrets.B]\nenv = \"B\"\n[secrets.C]\nenv = \"C\"\n" +
		"[servers.b]\ncommand = [\"other\"]\n[servers.c]\ncommand = [\"c\"]\n[servers.d]\ncommand = [\"d\"]\n")
	got, err := l.reload()
	if want := []string{"limits", "audit", "secrets.A", "secrets.C", "servers.b", "servers.d", "servers.a"}; err != nil || !slices.Equal(got.Pending, want) || !got.Changed {
		t.Errorf("got %+v, %v, want %v", got, err, want)
	}
	if got := l.calls(); got != "two|" {
		t.Errorf("the rest does not hold: %s", got)
	}
	l.write(start)
	if got, err := l.reload(); err != nil || len(got.Pending) > 0 {
		t.Errorf("put back: %+v, %v", got, err)
	}
}

func TestWatch(t *testing.T) {
	l := newReloading(t, "")
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		since := func() []string {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			list := told
			told = nil
			return list
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.reloader.Watch(ctx, time.Second, func(r standard.Reload, err error) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprint(r.Changed, " ", err != nil))
			})
		}()
		for _, step := range []struct {
			text string
			want []string
		}{
			{"", nil},
			{"[mounts]\nworkspace = \"two\"\n", []string{"true false"}},
			{"[mounts", []string{"false true"}},
			{"[mounts]\nworkspace = \"two\"\n", []string{"false false"}},
			{"[mounts]\nworkspace = \"one\"\n", []string{"true false"}},
		} {
			if step.text != "" {
				l.write(step.text)
			}
			time.Sleep(3 * time.Second)
			if got := since(); !slices.Equal(got, step.want) {
				t.Errorf("%q: told %q, want %q", step.text, got, step.want)
			}
		}
		cancel()
		<-ended
	})
}

// A file that the program refuses, such as a token that would give a tenant a second way in, does
// not take effect.
func TestProgramRefusesFile(t *testing.T) {
	l := newReloading(t, "[limits]\ncalls = 4\n")
	l.reloader.Check = func(c *config.Config) error {
		if len(c.Tenants()) > 0 {
			return errors.New("no tenants here")
		}
		return nil
	}
	l.write("[tenants.blue]\ntoken_env = \"BLUE\"\n")
	if _, err := l.reloader.Reload(t.Context()); err == nil || err.Error() != "no tenants here" {
		t.Errorf("got %v", err)
	}
	// With tenants in force, the registry would refuse a tenant that the file does not name.
	_, err := l.tools.Execute(t.Context(), tool.Call{Tool: "unknown", Tenant: "red"})
	var failed *tool.Error
	if !errors.As(err, &failed) || failed.Code != tool.CodeNotFound {
		t.Errorf("the refused file took effect: %v", err)
	}
	l.write("[limits]\ncalls = 5\n")
	if read, err := l.reloader.Reload(t.Context()); err != nil || !read.Changed {
		t.Errorf("the next file: %+v, %v", read, err)
	}
}

package child

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// The test binary is also the child and, for one test, the parent. Its arguments are childArg or
// parentArg, the name of the behaviour, and further arguments.
const (
	childArg  = "serve-for-test"
	parentArg = "compile-for-test"
)

const secretVariable = "WASMTOOL_TEST_SECRET"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case childArg:
			os.Exit(child(os.Args[2], os.Args[3:]))
		case parentArg:
			o := options(os.Args[2], os.Args[3:]...)
			o.Timeout = 10 * time.Minute
			fmt.Println(Compile(context.Background(), o, nil, os.TempDir()))
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// options returns Options with which this binary is the child.
func options(what string, args ...string) Options {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Options{Command: append([]string{self, childArg, what}, args...)}
}

// child is the main function of a child.
func child(what string, args []string) int {
	if what == "grandchild" {
		_ = callAndSpin(args[0])
		return 1
	}
	if talk, ok := strangers[what]; ok {
		return talk()
	}
	if talk, ok := deserters[what]; ok {
		return talk()
	}
	return Serve(os.Stdin, os.Stdout, func(wasm []byte, dir string) error { return compilers[what](wasm, dir, args) })
}

// strangers are programs that do not call Serve.
var strangers = map[string]func() int{
	"nothing":     func() int { return 0 },
	"exits 3":     func() int { return 3 },
	"prints":      func() int { fmt.Println("hello, world"); return 0 },
	"greets only": func() int { fmt.Print(greeting); return 0 },
	"two replies": func() int { fmt.Print(greeting, `{"outcome":"compiled"}`+"\n"+`{"outcome":"compiled"}`+"\n"); return 0 },
	"no greeting": func() int { fmt.Print(`{"outcome":"compiled"}` + "\n"); return 0 },
	"prints for ever": func() int {
		for {
			fmt.Println(strings.Repeat("x", 1<<20))
		}
	},
	"megabytes to stderr": func() int {
		fmt.Fprint(os.Stderr, strings.Repeat("x", 4<<20))
		return 3
	},
}

// deserters are programs that send the greeting and then do not behave like Serve.
var deserters = map[string]func() int{
	"greets and exits 3":   func() int { fmt.Print(greeting); return 3 },
	"replies and exits 3":  func() int { fmt.Print(greeting, `{"outcome":"compiled"}`+"\n"); return 3 },
	"greets and is killed": func() int { fmt.Print(greeting); return killSelf() },
}

// killSelf ends this process as the kernel does when memory runs out.
func killSelf() int {
	self, err := os.FindProcess(os.Getpid())
	if err == nil && self.Kill() == nil {
		_ = spin()
	}
	return 1
}

// compilers are functions for Serve to call.
var compilers = map[string]func(wasm []byte, dir string, args []string) error{
	"processors": func([]byte, string, []string) error {
		return fmt.Errorf("%d processors", runtime.GOMAXPROCS(0))
	},
	"engine": func(wasm []byte, dir string, _ []string) error { return compileWith(wasm, dir) },
	"spin": func(_ []byte, _ string, args []string) error {
		return callAndSpin(args[0])
	},
	"start another": func(_ []byte, _ string, args []string) error {
		command := options("grandchild", args[0]).Command
		grandchild := exec.Command(command[0], command[1:]...)
		if err := grandchild.Start(); err != nil {
			return err
		}
		return spin()
	},
	"allocate": func([]byte, string, []string) error {
		var all [][]byte
		for {
			all = append(all, touched())
			runtime.KeepAlive(all)
		}
	},
	"allocate at once": func([]byte, string, []string) error {
		size := 1 << 20
		runtime.KeepAlive(make([]byte, size<<20))
		return nil
	},
	"make garbage": func([]byte, string, []string) error {
		for range 1536 {
			// Use the memory, as a compiler does.
			runtime.KeepAlive(sha256.Sum256(touched()))
		}
		return nil
	},
	"map memory": func([]byte, string, []string) error { return mapMemory() },
	"panic":      func([]byte, string, []string) error { panic("in /some/path") },
	"panic elsewhere": func([]byte, string, []string) error {
		go panic("in /some/path")
		return spin()
	},
	"recurse": func([]byte, string, []string) error {
		if deep(0) == 0 {
			return errors.New("came back")
		}
		return nil
	},
	"environment": func([]byte, string, []string) error {
		return fmt.Errorf("%d variables, the secret is %q", len(os.Environ()), os.Getenv(secretVariable))
	},
	"directory": func([]byte, string, []string) error {
		dir, err := os.Getwd()
		return fmt.Errorf("the directory is %s (%v)", dir, err)
	},
	"limits": func([]byte, string, []string) error {
		limits, err := os.ReadFile("/proc/self/limits")
		if err != nil {
			return err
		}
		score, err := os.ReadFile("/proc/self/oom_score_adj")
		if err != nil {
			return err
		}
		var found []string
		for line := range strings.Lines(string(limits)) {
			name, values, _ := strings.Cut(strings.TrimPrefix(line, "Max "), "  ")
			found = append(found, name+"="+strings.Join(strings.Fields(values)[:2], "-"))
		}
		return fmt.Errorf("%s %s", strings.TrimSpace(string(score)), strings.Join(found, ","))
	},
	"full disk": func(_ []byte, _ string, _ []string) error {
		return fmt.Errorf("in the engine: %w", &fs.PathError{Op: "write", Path: "/some/path", Err: syscall.ENOSPC})
	},
	"big file": func(_ []byte, dir string, _ []string) error {
		return os.WriteFile(filepath.Join(dir, "code"), make([]byte, 2<<20), 0o600)
	},
	"odd text": func([]byte, string, []string) error {
		return errors.New("\x1b[31mname \u202e\xff " + strings.Repeat("é", 1000) + "\ngoroutine 1")
	},
	"no text": func([]byte, string, []string) error { return errors.New("") },
}

// callAndSpin connects to a listener and keeps the connection, so that the connection ends when the
// process does.
func callAndSpin(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "x"); err != nil {
		return err
	}
	return spin()
}

// spin runs forever, like a compiler that cannot be stopped.
func spin() error {
	for n := uint64(1); n != 0; n |= 1 {
		n += 2
	}
	return nil
}

// touched returns memory that the system had to provide.
func touched() []byte {
	piece := make([]byte, 1<<20)
	for i := 0; i < len(piece); i += os.Getpagesize() {
		piece[i] = 1
	}
	return piece
}

func deep(n int) int {
	if n < 0 {
		return 0
	}
	var frame [512]int
	frame[n%len(frame)] = n
	return deep(n+1) + frame[n%len(frame)]
}

// compileWith compiles with the engine as the runtime does.
func compileWith(wasm []byte, dir string) error {
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	config := wazero.NewRuntimeConfigCompiler()
	if dir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(dir)
		if err != nil {
			return err
		}
		defer cache.Close(ctx)
		config = config.WithCompilationCache(cache)
	}
	r := wazero.NewRuntimeWithConfig(ctx, config)
	defer r.Close(ctx)
	_, err := r.CompileModule(ctx, wasm)
	return err
}

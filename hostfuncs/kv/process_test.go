package kv_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/kv"
)

// Environment variables that make the test binary act as another process of a test.
const (
	roleVariable = "KV_TEST_ROLE"
	dirVariable  = "KV_TEST_DIR"
)

const rounds = 25

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := act(role, os.Getenv(dirVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// act does the work of the other process.
func act(role, dir string) error {
	s, err := kv.OpenBolt(dir, kv.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if role == "count" {
		for range rounds {
			if err := increment(ctx, s, "n"); err != nil {
				return err
			}
		}
		return s.Close()
	}
	// Write until this process is killed. Print each write after Put has returned, because it must
	// then be on disk.
	for i := 0; ; i++ {
		if err := s.Put(ctx, here, "big", bytes.Repeat([]byte{byte(i)}, 50_000)); err != nil {
			return err
		}
		if err := s.Put(ctx, here, fmt.Sprintf("%06d", i), []byte("v")); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// another returns a command that runs the function act in another process.
func another(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestBoltProcessesLoseNoCount(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	var others []*exec.Cmd
	for range 2 {
		cmd := another(t, "count", dir)
		must(t, cmd.Start())
		others = append(others, cmd)
	}
	s := openBolt(t, dir, kv.Options{})
	for range rounds {
		must(t, increment(t.Context(), s, "n"))
	}
	for _, cmd := range others {
		must(t, cmd.Wait())
	}
	wantValue(t, s, here, "n", fmt.Sprint(3*rounds))
}

func TestBoltProcessKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kv")
	for kill := range 5 {
		cmd := another(t, "write", dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		promised := ""
		for n := 0; n <= 2*kill && lines.Scan(); n++ {
			promised = lines.Text()
		}
		must(t, cmd.Process.Kill())
		for lines.Scan() {
			promised = lines.Text()
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process was not killed")
		}

		s := openBolt(t, dir, kv.Options{})
		var last int
		_, err = fmt.Sscan(promised, &last)
		must(t, err)
		for i := range last + 1 {
			wantValue(t, s, here, fmt.Sprintf("%06d", i), "v")
		}
		big, err := s.Get(t.Context(), here, "big")
		must(t, err)
		if !bytes.Equal(big, bytes.Repeat(big[:1], 50_000)) {
			t.Fatal("a value was written in part")
		}
		must(t, s.Put(t.Context(), here, "after", nil))
	}
}

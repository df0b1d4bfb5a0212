package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// idsIn returns the IDs of the receipts in a file, which must contain only receipts.
func idsIn(t *testing.T, path string) (ids []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var r tool.Receipt
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

func TestReceiptsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record", "audit.jsonl")
	var wg sync.WaitGroup
	for n := range 2 { // two Logs, as in two processes
		l := New(Options{File: path})
		defer l.Close()
		for k := range 50 {
			wg.Go(func() {
				if err := l.Write(tool.Receipt{CallRef: tool.CallRef{ID: fmt.Sprint(n, "-", k), Tool: "a\nb"}}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if got := len(idsIn(t, path)); got != 100 {
		t.Errorf("%d receipts, want 100", got)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// No file exceeds the size limit, and only the given number of earlier files is kept. The receipts
// in these files are consecutive: none is lost when a new file is started.
func TestFileIsBegunAnew(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file is not renamed there by another Log")
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, other := New(Options{File: path, MaxBytes: 500, Keep: 2}), New(Options{File: path, MaxBytes: 500, Keep: 2})
	defer l.Close()
	defer other.Close()
	for n := range 20 {
		if err := []*Log{l, other}[n%2].Write(tool.Receipt{CallRef: tool.CallRef{ID: fmt.Sprint(n)}}); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	for _, name := range []string{path + ".2", path + ".1", path} {
		info, err := os.Stat(name)
		if err != nil || info.Size() > 500 {
			t.Fatalf("%s: %v, %v", filepath.Base(name), info, err)
		}
		all = append(all, idsIn(t, name)...)
	}
	if _, err := os.Stat(path + ".3"); err == nil {
		t.Error("a third earlier file is kept")
	}
	for i := 1; i < len(all); i++ {
		var before, after int
		_, _ = fmt.Sscan(all[i-1], &before)
		_, _ = fmt.Sscan(all[i], &after)
		if after != before+1 {
			t.Errorf("the receipts are %v", all)
			break
		}
	}
	if all[len(all)-1] != "19" {
		t.Errorf("the last receipt is %s", all[len(all)-1])
	}
}

func TestFaultsNameNoPath(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "x", "y")} {
		if path != dir {
			if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := New(Options{File: path}).Write(tool.Receipt{})
		if err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("got %v", err)
		}
	}
}

// Each line says whether the tool is sandboxed, even if it is not.
func TestLinesSayWhetherTheToolIsSandboxed(t *testing.T) {
	for _, sandboxed := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		l := New(Options{File: path})
		defer l.Close()
		if err := l.Write(tool.Receipt{CallRef: tool.CallRef{ID: "1"}, Sandboxed: sandboxed}); err != nil {
			t.Fatal(err)
		}
		line, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`"sandboxed":%v`, sandboxed); !strings.Contains(string(line), want) {
			t.Errorf("got %s, want %s", line, want)
		}
	}
}

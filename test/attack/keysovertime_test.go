package attack

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// limits.calls and limits.waiting: while one call runs, another one runs, waits, or is refused at
// once.
func TestLimitsOfCallsAtOnce(t *testing.T) {
	for _, tt := range []struct {
		name, operator string
		code           tool.Code
	}{
		{"there is room", "limits.calls = 4\nlimits.waiting = 0\n", ""},
		{"no call may wait", "limits.calls = 1\nlimits.waiting = 0\n", tool.CodeResourceExhausted},
		{"one may wait, for as long as it has", "limits.calls = 1\nlimits.waiting = 1\n", tool.CodeTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, setup{operator: tt.operator, tools: map[string]string{"script": "", "other": ""}})
			started, ended := make(chan struct{}), make(chan error, 1)
			first := script("script", step{Do: "progress"}, step{Do: "spin"})
			first.OnProgress = func(float64, float64, string) { close(started) }
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_, err := l.tools.Execute(ctx, first)
				ended <- err
			}()
			<-started
			second := script("other", step{Do: "say"})
			if tt.code == tool.CodeTimeout {
				second.Timeout = 300 * time.Millisecond
			}
			if _, err := l.execute(t, second); tool.CodeOf(err) != tt.code {
				t.Errorf("the second call: %v, want the code %q", err, tt.code)
			}
			cancel()
			if err := <-ended; tool.CodeOf(err) != tool.CodeCancelled {
				t.Errorf("the first call: %v", err)
			}
		})
	}
}

// audit.file, audit.max_size and audit.keep: each call has a line, the files have a maximum size,
// and the latest files are kept.
func TestKeysOfTheRecord(t *testing.T) {
	const calls = 90 // 2 KiB each, together more than two files of 64 KiB
	for _, tt := range []struct {
		name, operator string
		files          int
		all            bool // true if no line may be lost
	}{
		{"no record", "", 0, false},
		{"one file", "audit.file = 'DIR/audit.jsonl'\n", 1, true},
		{"small files", "audit = { file = 'DIR/audit.jsonl', max_size = \"64KiB\" }\n", 3, true},
		{"small files, none kept", "audit = { file = 'DIR/audit.jsonl', max_size = \"64KiB\", keep = 0 }\n", 1, false},
		{"small files, one kept", "audit = { file = 'DIR/audit.jsonl', max_size = \"64KiB\", keep = 1 }\n", 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l := newLab(t, setup{operator: strings.ReplaceAll(tt.operator, "DIR", filepath.ToSlash(dir))})
			long := strings.Repeat("s", 500)
			for n := range calls {
				call := script("script", step{Do: "say"})
				// Each call has a session of its own, because equal calls of one session need
				// approval.
				call.Tenant, call.Message, call.Session = long, long, fmt.Sprint(long, n)
				l.call(t, call)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(files) != tt.files {
				t.Errorf("%d files, %v, want %d", len(files), err, tt.files)
			}
			lines := 0
			for _, file := range files {
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				lines += bytes.Count(content, []byte("\n"))
			}
			if (lines == calls) != tt.all {
				t.Errorf("%d lines for %d calls", lines, calls)
			}
		})
	}
}

// secrets.NAME.ttl: a value is read again when its time to live is over. Without a ttl it is never
// read again.
func TestLifetimeOfSecrets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	put := func(value string) {
		if err := os.WriteFile(file, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// sends returns a function that makes a call and returns the secret that the server received.
	sends := func(ttl string) func() string {
		w := newWorld(t, func(http.ResponseWriter, *http.Request) {})
		l := newLab(t, setup{
			tools: map[string]string{"script": asksSecret}, http: w.options(),
			operator: fmt.Sprintf("[secrets.TOKEN]\nfile = %q\n%s\n", file, ttl) + hasSecret,
		})
		return func() string {
			l.play(t, get("http://api.example.com/"))
			return w.requests()[0].Header.Get("X-Token")
		}
	}
	const first, second = "the first value", "the second value"
	forGood, forASecond := sends(""), sends(`ttl = "1s"`)
	put(first)
	if a, b := forGood(), forASecond(); a != first || b != first {
		t.Fatalf("sent %q and %q", a, b)
	}
	put(second)
	got := first
	for got == first { // loops for about a second, or forever if the value is not read again
		got = forASecond()
	}
	if got != second {
		t.Errorf("sent %q after the value changed", got)
	}
	if got := forGood(); got != first {
		t.Errorf("without a ttl sent %q", got)
	}
}

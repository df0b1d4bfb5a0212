package secret

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/fewlooks"
)

// work measures the cost of hiding secrets in a JSON text: the pieces read, the allocations and the
// allocated bytes.
func work(t *testing.T, s *Scrubber, doc []byte) (pieces, allocs int, memory uint64) {
	t.Helper()
	ctx := &fewlooks.Context{Context: t.Context(), Most: 1 << 40}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := s.JSON(ctx, doc); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return ctx.Looks, int(after.Mallocs - before.Mallocs), after.TotalAlloc - before.TotalAlloc
}

// TestCostGrowsWithTheText checks that the cost grows only with the length of the text. It must not
// grow with the number of values in the text or with the length of the secrets.
func TestCostGrowsWithTheText(t *testing.T) {
	secrets := map[string]*Scrubber{}
	for name, n := range map[string]int{"short": MinScrub, "2,000 bytes": 2000, "longest": MaxBytes} {
		secrets[name] = NewScrubber(map[string]string{"K": strings.Repeat("ab/+", n)[:n]})
	}
	for name, one := range map[string]string{
		"line ends":  `"\n"`,
		"long names": `{"a name that is long enough\n":7}`,
		"numbers":    `12345678`,
		"near":       `"abab\/\u002bab/+abab"`,
		"percent":    `"%61b%2F%2Bab/+%"`,
		"empty":      `""`,
	} {
		size := 1 << 18
		if name == "line ends" { // an earlier version needed a second of CPU for each 60 KB
			size = 1 << 20
		}
		for length, s := range secrets {
			pieces, allocs, memory := work(t, s, list(one, size))
			twicePieces, twiceAllocs, twiceMemory := work(t, s, list(one, 2*size))
			values := size / (len(one) + 1)
			// Each value, and the text around it, is read at most three times.
			if pieces > 2*(size/piece+1)+3*values || allocs > 12*values+100 || memory > uint64(32*size+1<<20) {
				t.Errorf("%s, %s: %d pieces, %d allocations, %d bytes", name, length, pieces, allocs, memory)
			}
			if len(one) < MinScrub && (pieces > 3*(size/piece+1) || allocs > 100) {
				t.Errorf("%s, %s: values that are too short are read: %d pieces, %d allocations", name, length, pieces, allocs)
			}
			// The race detector drops values from pools at random, so the limits for memory have
			// some slack. A cost that grows with the square of the text would be four times as
			// large.
			if twicePieces > 2*pieces+2 || twiceAllocs > 3*allocs+100 || twiceMemory > 3*memory+1<<20 {
				t.Errorf("%s, %s: twice the text takes %d for %d pieces, %d for %d allocations, %d for %d bytes",
					name, length, twicePieces, pieces, twiceAllocs, allocs, twiceMemory, memory)
			}
		}
	}
}

// TestLongJSONIsText checks that a text too long to be parsed as JSON is scrubbed as text.
func TestLongJSONIsText(t *testing.T) {
	const value = "hunter2-hunter2"
	doc := []byte(`["` + strings.Repeat("x", maxJSON) + `", "` + value + `"]`)
	got, err := NewScrubber(map[string]string{"K": value}).JSON(t.Context(), doc)
	if want := bytes.ReplaceAll(doc, []byte(value), []byte("[secret:K]")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %.20q of %d bytes, %v", got, len(got), err)
	}
}

// TestManyShortTextsTakeNoMemory checks that a stream does not allocate for each of many texts.
func TestManyShortTextsTakeNoMemory(t *testing.T) {
	stream := NewScrubber(map[string]string{"K": strings.Repeat("k", 2000)}).Stream()
	headers := make([][]byte, 12_000)
	for i := range headers {
		headers[i] = []byte(strings.Repeat("k", 1+i%40))
	}
	if n := testing.AllocsPerRun(2, func() {
		for _, h := range headers {
			if got := stream.Scrub(h, true); len(got) != len(h) {
				t.Fatalf("%q becomes %q", h, got)
			}
		}
	}); n > 10 {
		t.Errorf("%v allocations", n)
	}
}

// TestStreamKeepsWhatItHoldsInPlace passes a secret byte by byte, each byte written as an escape.
// The stream must not copy the held bytes each time.
func TestStreamKeepsWhatItHoldsInPlace(t *testing.T) {
	value := strings.Repeat("kr/+", MaxBytes/4)
	form := jsonAll(base64.StdEncoding.EncodeToString([]byte(value)))
	stream := NewScrubber(map[string]string{"K": value}).Stream()
	var out []byte
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, b := range []byte(form + form + ".") {
		out = append(out, stream.Scrub([]byte{b}, false)...)
	}
	runtime.ReadMemStats(&after)
	if out = append(out, stream.Scrub(nil, true)...); string(out) != "[secret:K][secret:K]." {
		t.Errorf("got %.60q", out)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > uint64(40*len(form)) {
		t.Errorf("%d bytes were taken for %d", got, 2*len(form))
	}
}

// TestNothingComesOutWhenTheTimeIsOver checks that no output is returned after the context is done,
// regardless of the step that checks the context.
func TestNothingComesOutWhenTheTimeIsOver(t *testing.T) {
	const value = "hunter2-hunter2"
	s := NewScrubber(map[string]string{"K": value})
	long := strings.Repeat("x", piece) + value + strings.Repeat(`y\n`, piece)
	for name, hide := range map[string]func(context.Context) ([]byte, error){
		"text": func(ctx context.Context) ([]byte, error) { return s.Bytes(ctx, []byte(long)) },
		"JSON": func(ctx context.Context) ([]byte, error) {
			return s.JSON(ctx, []byte(`["`+long+`",1,{"a":"`+long+`"}]`))
		},
		"plain":  func(ctx context.Context) ([]byte, error) { return s.JSON(ctx, []byte(`["`+long[:2*piece]+`"]`)) },
		"values": func(ctx context.Context) ([]byte, error) { return s.JSON(ctx, list(`"\n"`, 1<<17)) },
		"before": func(ctx context.Context) ([]byte, error) { return s.Before(ctx, []byte(long)) },
		"after":  func(ctx context.Context) ([]byte, error) { return s.After(ctx, []byte(long), piece+3) },
	} {
		all := &fewlooks.Context{Context: t.Context(), Most: 1 << 40}
		whole, err := hide(all)
		if err != nil || bytes.Contains(whole, []byte(value)) || all.Looks < 2 {
			t.Errorf("%s: %d looks, %v", name, all.Looks, err)
		}
		for most := range all.Looks {
			got, err := hide(&fewlooks.Context{Context: t.Context(), Most: most})
			if got != nil || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s after %d looks: %d bytes, %v", name, most, len(got), err)
			}
		}
	}
}

// list returns a JSON text of about size bytes.
func list(one string, size int) []byte {
	return []byte("[" + strings.Repeat(one+",", size/(len(one)+1)) + "1]")
}

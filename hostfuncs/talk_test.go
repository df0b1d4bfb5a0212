package hostfuncs_test

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// A guest can log, up to a bound, and is told off once.
func TestLogIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want int // lines that are kept
	}{
		"many lines":  {"x", hostfuncs.MaxLogLines},
		"large lines": {strings.Repeat("x", hostfuncs.MaxLogText+1), hostfuncs.MaxLogBytes / hostfuncs.MaxLogText},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			var last slog.Level
			talk := hostfuncs.NewTalk(hostfuncs.Listener{Log: func(level slog.Level, text string) {
				lines, last = append(lines, text), level
			}})
			for range hostfuncs.MaxLogLines + 10 {
				talk.Log(slog.LevelInfo, []byte(tt.line))
			}
			if len(lines) != tt.want+1 || last != slog.LevelWarn || !strings.Contains(lines[tt.want], "dropped") {
				t.Errorf("%d lines, want %d and a warning; the last is %v %q", len(lines), tt.want, last, lines[len(lines)-1])
			}
			if len(lines[0]) > hostfuncs.MaxLogText {
				t.Errorf("a line of %d bytes", len(lines[0]))
			}
		})
	}
}

func TestLogIsText(t *testing.T) {
	var got []string
	talk := hostfuncs.NewTalk(hostfuncs.Listener{Log: func(level slog.Level, text string) { got = append(got, fmt.Sprint(level, " ", text)) }})
	for n, text := range []string{"a", "b\xff", "c", "d", "e"} {
		talk.Log(hostfuncs.LogLevel(uint32(n)), []byte(text))
	}
	if want := []string{"DEBUG a", "INFO b\uFFFD", "WARN c", "ERROR d", "ERROR e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Progress comes as it happens, not more often than somebody can look, and its end is
// not lost.
func TestProgressIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		talk := hostfuncs.NewTalk(hostfuncs.Listener{Progress: func(done, total float64, message string) {
			got = append(got, fmt.Sprint(done, "/", total, " ", message))
		}})
		talk.Progress(1, 4, []byte("first"))
		talk.Progress(2, 4, []byte("too soon"))
		time.Sleep(hostfuncs.ProgressInterval)
		talk.Progress(3, 4, []byte("third"))
		talk.Progress(math.NaN(), 4, []byte("no number"))
		talk.Progress(-1, 4, []byte("negative"))
		talk.Progress(1, math.Inf(1), []byte("no end"))
		for range 3 {
			talk.Progress(4, 4, []byte("end"))
			talk.Progress(1, 4, []byte("again"))
		}
		if want := []string{"1/4 first", "3/4 third", "4/4 end"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Nobody has to listen.
func TestNobodyListens(t *testing.T) {
	talk := hostfuncs.NewTalk(hostfuncs.Listener{})
	talk.Log(slog.LevelInfo, []byte("x"))
	talk.Progress(1, 2, nil)
}

package hostfuncs_test

import (
	"errors"
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

// TestLogIsBounded checks that the log of a guest is limited, and that exceeding the limit gives
// one warning.
func TestLogIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want int // number of lines passed on
	}{
		"many lines":  {"x", hostfuncs.MaxLogLines},
		"large lines": {strings.Repeat("x", hostfuncs.MaxLogText+1), hostfuncs.MaxLogBytes / hostfuncs.MaxLogText},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			var last slog.Level
			talk := hostfuncs.NewMessages(hostfuncs.Listener{Log: func(level slog.Level, text string) {
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
	talk := hostfuncs.NewMessages(hostfuncs.Listener{Log: func(level slog.Level, text string) { got = append(got, fmt.Sprint(level, " ", text)) }})
	for n, text := range []string{"a", "b\xff", "c", "d", "e"} {
		talk.Log(hostfuncs.LogLevel(uint32(n)), []byte(text))
	}
	if want := []string{"DEBUG a", "INFO b\uFFFD", "WARN c", "ERROR d", "ERROR e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestProgressIsPaced checks that a report is passed on at once and that reports within the minimum
// interval are dropped. The report of completion is never dropped.
func TestProgressIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		talk := hostfuncs.NewMessages(hostfuncs.Listener{Progress: func(done, total float64, message string) {
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

// TestUpdates checks that an update is a title, values by name, text blocks, or several of these.
// Anything else is an error that the guest sees.
func TestUpdates(t *testing.T) {
	for text, want := range map[string]string{
		`{"title":"a","metadata":{"n":1e2,"o":{"x":[null]}}}`: `a map[n:1e2 o:{"x":[null]}] []`,
		`{"title":"a"}`:           `a map[] []`,
		`{}`:                      ` map[] []`,
		`{"metadata":{"n":null}}`: ` map[n:null] []`,
		`{"title":"` + strings.Repeat("é", hostfuncs.MaxUpdateTitle) + `"}`:    strings.Repeat("é", hostfuncs.MaxUpdateTitle/2) + " map[] []",
		`{"content":[{"type":"text","text":"a\n"},{"type":"text","text":""}]}`: ` map[] ["a\n" ""]`,
		`{"content":[]}`:             ` map[] []`,
		`{"content":"a"}`:            "update",
		`{"content":[{"text":"a"}]}`: "update",
		`{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}`: "update",
		``:                                    "update",
		`null`:                                "update",
		`[]`:                                  "update",
		`{"title":1}`:                         "update",
		`{"metadata":[]}`:                     "update",
		`{"progress":{"done":1}}`:             "update",
		`{} {}`:                               "update",
		"{\"title\":\"\xff\"}":                "update",
		`{"metadata":{"a":"` + "\x00" + `"}}`: "update",
		`{"metadata":` + strings.Repeat(`{"a":`, hostfuncs.MaxUpdate/6):         "update",
		`{"metadata":{"a":"` + strings.Repeat("x", hostfuncs.MaxUpdate) + `"}}`: "too_large",
	} {
		got := ""
		talk := hostfuncs.NewMessages(hostfuncs.Listener{Update: func(u hostfuncs.Update) {
			got = fmt.Sprintf("%s %s %q", u.Title, u.Metadata, u.Texts)
		}})
		var fault *hostfuncs.Error
		if errors.As(talk.Update([]byte(text)), &fault) {
			got += fault.Kind // shows a mistake if the update was delivered and refused
		}
		if got != want {
			t.Errorf("%.80q: got %.200q, want %q", text, got, want)
		}
	}
}

// TestUpdatesArePaced checks that the limit per second refuses updates, and that the next second
// starts with a new limit.
func TestUpdatesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		talk := hostfuncs.NewMessages(hostfuncs.Listener{Update: func(hostfuncs.Update) { told++ }})
		for second := range 3 {
			for n := range hostfuncs.MaxUpdates + 5 {
				err := talk.Update([]byte(`{"title":"a"}`))
				var fault *hostfuncs.Error
				if refused := errors.As(err, &fault) && fault.Kind == "too_many"; refused != (n >= hostfuncs.MaxUpdates) {
					t.Errorf("update %d of second %d: %v", n, second, err)
				}
			}
			time.Sleep(time.Second)
		}
		if told != 3*hostfuncs.MaxUpdates {
			t.Errorf("%d updates were delivered", told)
		}
	})
}

// TestListenersAreOptional calls all methods without listener functions.
func TestListenersAreOptional(t *testing.T) {
	talk := hostfuncs.NewMessages(hostfuncs.Listener{})
	talk.Log(slog.LevelInfo, []byte("x"))
	talk.Progress(1, 2, nil)
	if err := talk.Update([]byte(`{"title":"x"}`)); err != nil {
		t.Error(err)
	}
}

package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func begin(t testing.TB, l *Ledger, tenant, id string) *Entry {
	t.Helper()
	_, e, err := l.Open(t.Context(), &tool.Call{Tenant: tenant, ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// move changes the status of a call.
func move(e *Entry, to state.Status) error {
	e.ledger.mu.Lock()
	defer e.ledger.mu.Unlock()
	return e.state.Move(to)
}

// Limits of the updates of a call.
const maxTitle, maxMessage, maxMetadata, maxContent, maxNames, maxBlocks = 256, 1 << 10, 64 << 10, 64 << 10, 64, 64

func TestIllegalMovesChangeNothing(t *testing.T) {
	s := New(Options{MaxEnded: 0}, slog.New(slog.DiscardHandler))
	e := begin(t, s, "", "a")
	for _, to := range []state.Status{state.Completed, state.Error, state.Pending, "nonsense"} {
		if err := move(e, to); err == nil {
			t.Errorf("a pending call became %s", to)
		}
	}
	if err := e.endState(time.Now(), tool.Result{}, nil); err == nil {
		t.Error("a pending call completed")
	}
	if c, _ := s.State("", "a"); c.Status != state.Pending || c.Revision != 1 {
		t.Errorf("got %+v", c)
	}
	if err := errors.Join(move(e, state.Running), e.endState(time.Now(), tool.Result{}, nil)); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{move(e, state.Running), e.endState(time.Now(), tool.Result{}, &tool.Error{})} {
		if !errors.Is(err, state.ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
	}
	if c, _ := s.State("", "a"); c.Status != state.Completed || c.Err != nil {
		t.Errorf("got %+v", c)
	}
}

// The state of an ended call has its result or error, and StepStatus has its outcome.
func TestStateKeepsTheOutcome(t *testing.T) {
	s := New(Options{MaxEnded: 0}, slog.New(slog.DiscardHandler))
	ok, bad, early := begin(t, s, "", "ok"), begin(t, s, "", "bad"), begin(t, s, "", "early")
	at := time.Unix(7, 0)
	data := []byte("png")
	result := tool.Result{Content: []tool.Content{{Type: tool.ContentImage, Data: data, MIMEType: "image/png"}}, Structured: json.RawMessage(`{"n":9007199254740993}`)}
	err := errors.Join(move(ok, state.AwaitingConfirmation), move(ok, state.Running), ok.endState(at, result, nil),
		move(bad, state.Running), bad.endState(at, tool.Result{IsError: true}, &tool.Error{Code: tool.CodeTrap}),
		early.endState(at, tool.Result{IsError: true}, &tool.Error{Code: tool.CodeNotFound}))
	if err != nil {
		t.Fatal(err)
	}
	data[0] = 'x'
	c, _ := s.State("", "ok")
	if string(c.Result.Structured) != `{"n":9007199254740993}` || string(c.Result.Content[0].Data) != "png" || !c.Ended.Equal(at) || c.Status.StepStatus() != "success" {
		t.Errorf("got %+v", c)
	}
	if c, _ := s.State("", "bad"); c.Err.Code != tool.CodeTrap || c.Status != state.Error || c.Status.StepStatus() != "failed" {
		t.Errorf("got %+v", c)
	}
	if c, _ := s.State("", "early"); c.Err.Code != tool.CodeNotFound || c.Status != state.Error {
		t.Errorf("got %+v", c)
	}
	long := begin(t, s, "", "long")
	err = errors.Join(move(long, state.Running), long.endState(at, tool.Result{Content: []tool.Content{tool.TextContent(strings.Repeat("x", state.MaxResult+1))}}, nil))
	if c, _ := s.State("", "long"); err != nil || c.Result != nil || !c.ResultOmitted || c.Status != state.Completed {
		t.Errorf("got %+v, %v", c, err)
	}
}

// The size of a result includes all its parts.
func TestLongResultsAreNotKept(t *testing.T) {
	s := New(Options{MaxEnded: 0}, slog.New(slog.DiscardHandler))
	long := strings.Repeat("x", state.MaxResult+1)
	for name, result := range map[string]tool.Result{
		"warning":     {Warnings: []string{long}},
		"uri":         {Content: []tool.Content{tool.LinkContent(tool.Resource{URI: long})}},
		"name":        {Content: []tool.Content{tool.LinkContent(tool.Resource{Name: long})}},
		"title":       {Content: []tool.Content{tool.LinkContent(tool.Resource{Title: long})}},
		"description": {Attachments: []tool.Content{tool.LinkContent(tool.Resource{Description: long})}},
	} {
		e := begin(t, s, "", name)
		if err := errors.Join(move(e, state.Running), e.endState(time.Now(), result, nil)); err != nil {
			t.Fatal(err)
		}
		if c, _ := s.State("", name); c.Result != nil || !c.ResultOmitted {
			t.Errorf("a result with a long %s is kept", name)
		}
	}
}

// The ID of a live call cannot be used again by the same tenant.
func TestLiveIDIsRefused(t *testing.T) {
	s := New(Options{MaxEnded: 0}, slog.New(slog.DiscardHandler))
	e := begin(t, s, "a", "1")
	begin(t, s, "b", "1")
	if _, _, err := s.Open(t.Context(), &tool.Call{Tenant: "a", ID: "1"}); !errors.Is(err, state.ErrLive) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(move(e, state.Running), e.endState(time.Now(), tool.Result{}, nil)); err != nil {
		t.Fatal(err)
	}
	begin(t, s, "a", "1")
	if got := s.States("a"); len(got) != 1 || got[0].Status != state.Pending {
		t.Errorf("got %+v", got)
	}
}

// Updates are merged in order. An invalid update changes nothing, and neither does an update
// after the end.
func TestUpdatesAreMerged(t *testing.T) {
	s := New(Options{MaxEnded: 0}, slog.New(slog.DiscardHandler))
	e := begin(t, s, "", "a")
	raw := func(pairs ...string) map[string]json.RawMessage {
		m := make(map[string]json.RawMessage)
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = json.RawMessage(pairs[i+1])
		}
		return m
	}
	many := make(map[string]json.RawMessage)
	for i := range maxNames + 1 {
		many[fmt.Sprint(i)] = json.RawMessage("1")
	}
	steps := []struct {
		update tool.Update
		want   error
	}{
		{tool.Update{Title: "Searching", Metadata: raw("n", "1", "kept", `"x"`)}, nil},
		{tool.Update{Metadata: raw("n", "2")}, nil},
		{tool.Update{Progress: &tool.Progress{Done: 1, Total: 2}}, nil},
		{tool.Update{Content: []tool.Content{tool.TextContent("a"), tool.TextContent("b")}}, nil},
		{tool.Update{Content: []tool.Content{tool.TextContent("part")}}, nil},
		{tool.Update{Title: "broken", Content: []tool.Content{tool.ImageContent([]byte("x"), "image/png")}}, state.ErrInvalid},
		{tool.Update{Title: "broken", Content: []tool.Content{tool.TextContent("\xff")}}, state.ErrInvalid},
		{tool.Update{Title: "broken", Content: make([]tool.Content, 1)}, state.ErrInvalid},
		{tool.Update{Content: []tool.Content{tool.TextContent(strings.Repeat("x", maxContent)), tool.TextContent("x")}}, state.ErrTooLarge},
		{tool.Update{Content: slices.Repeat([]tool.Content{tool.TextContent("")}, maxBlocks+1)}, state.ErrTooLarge},
		{tool.Update{Title: "broken", Metadata: raw("a", "1", "b", "{")}, state.ErrInvalid},
		{tool.Update{Title: strings.Repeat("x", maxTitle+1)}, state.ErrTooLarge},
		{tool.Update{Metadata: raw("big", `"`+strings.Repeat("x", maxMetadata)+`"`)}, state.ErrTooLarge},
		{tool.Update{Metadata: many}, state.ErrTooLarge},
		{tool.Update{Progress: &tool.Progress{Message: strings.Repeat("x", maxMessage+1)}}, state.ErrTooLarge},
	}
	for i, step := range steps {
		if err := s.UpdateState("", "a", step.update); !errors.Is(err, step.want) {
			t.Errorf("step %d: got %v, want %v", i, err, step.want)
		}
	}
	check := func(content ...string) {
		t.Helper()
		c, _ := s.State("", "a")
		if c.Title != "Searching" || len(c.Metadata) != 2 || string(c.Metadata["n"]) != "2" || c.Progress.Total != 2 || string(c.Metadata["kept"]) != `"x"` {
			t.Errorf("got %+v", c)
		}
		if got := each.Of(c.Content, func(c tool.Content) string { return c.Text }); !slices.Equal(got, content) {
			t.Errorf("the result so far is %q, want %q", got, content)
		}
		c.Metadata["n"][0] = '9' // changes only the returned copy
		for i := range c.Content {
			c.Content[i].Text = "changed"
		}
	}
	check("part")
	check("part")
	if err := errors.Join(move(e, state.Running), e.endState(time.Now(), tool.Result{}, nil)); err != nil {
		t.Fatal(err)
	}
	if err := s.UpdateState("", "a", tool.Update{Title: "late"}); !errors.Is(err, state.ErrEnded) {
		t.Errorf("got %v", err)
	}
	check()
	if err := s.UpdateState("", "nothing", tool.Update{}); !errors.Is(err, state.ErrUnknown) {
		t.Errorf("got %v", err)
	}
	if err := s.UpdateState("other", "a", tool.Update{}); !errors.Is(err, state.ErrUnknown) {
		t.Errorf("another tenant: got %v", err)
	}
}

// The number of ended calls is limited, and they can be cleared. Live calls stay.
func TestEndedStatesAreBounded(t *testing.T) {
	s := New(Options{MaxEnded: 5}, slog.New(slog.DiscardHandler))
	live := begin(t, s, "a", "live")
	begin(t, s, "b", "live")
	end := func(tenant, id string) {
		e := begin(t, s, tenant, id)
		if err := errors.Join(move(e, state.Running), e.endState(time.Now(), tool.Result{}, nil)); err != nil {
			t.Error(err)
		}
	}
	end("b", "0")
	for i := range 50 {
		end("a", fmt.Sprint(i))
	}
	ids := func(tenant string) (list []string) {
		for _, c := range s.States(tenant) {
			list = append(list, c.ID)
		}
		return list
	}
	if got := fmt.Sprint(ids("a"), ids("b")); got != "[live 49 48 47 46] [live 0]" {
		t.Errorf("got %s", got)
	}
	s.ClearStates("a")
	if got := fmt.Sprint(ids("a"), ids("b")); got != "[live] [live 0]" {
		t.Errorf("after clearing: %s", got)
	}
	if err := move(live, state.Running); err != nil {
		t.Error(err)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := New(Options{MaxEnded: 10}, slog.New(slog.DiscardHandler))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				id := fmt.Sprint(i, "-", j)
				_, e, err := s.Open(t.Context(), &tool.Call{ID: id})
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(e.update(tool.Update{Title: id}), move(e, state.Running), e.endState(time.Now(), tool.Result{}, nil)); err != nil {
					t.Error(err)
				}
				s.State("", id)
				s.States("")
			}
		})
	}
	wg.Wait()
	if got := len(s.States("")); got != 10 {
		t.Errorf("%d calls are kept", got)
	}
}

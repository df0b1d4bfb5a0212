package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

func begin(t *testing.T, s *Store, tenant, id string) *Entry {
	t.Helper()
	e, err := s.Begin(Call{CallRef: tool.CallRef{Tenant: tenant, ID: id}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Every pair of statuses is either an arrow or an error (R83).
func TestMoves(t *testing.T) {
	arrows := map[string]bool{
		"pending>awaiting_confirmation": true, "pending>running": true, "pending>error": true,
		"awaiting_confirmation>pending": true, "awaiting_confirmation>running": true, "awaiting_confirmation>error": true,
		"running>completed": true, "running>error": true, "running>pending": true,
	}
	all := []Status{Pending, AwaitingConfirmation, Running, Completed, Error}
	for _, from := range all {
		for _, to := range all {
			if got, want := from.CanBecome(to), arrows[string(from+">"+to)]; got != want {
				t.Errorf("%s to %s: got %v, want %v", from, to, got, want)
			}
		}
	}
}

func TestIllegalMovesChangeNothing(t *testing.T) {
	s := New(0)
	e := begin(t, s, "", "a")
	for _, to := range []Status{Completed, Error, Pending, "nonsense"} {
		if err := e.Move(to); err == nil {
			t.Errorf("a pending call became %s", to)
		}
	}
	if err := e.End(time.Now(), tool.Result{}, nil); err == nil {
		t.Error("a pending call completed")
	}
	if c, _ := s.Get("", "a"); c.Status != Pending || c.Revision != 1 {
		t.Errorf("got %+v", c)
	}
	if err := errors.Join(e.Move(Running), e.End(time.Now(), tool.Result{}, nil)); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{e.Move(Running), e.End(time.Now(), tool.Result{}, &tool.Error{})} {
		if !errors.Is(err, ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
	}
	if c, _ := s.Get("", "a"); c.Status != Completed || c.Err != nil {
		t.Errorf("got %+v", c)
	}
}

// How a call ended is kept (R86), and names of it in other vocabularies fit (R84).
func TestEnds(t *testing.T) {
	s := New(0)
	ok, bad, early := begin(t, s, "", "ok"), begin(t, s, "", "bad"), begin(t, s, "", "early")
	at := time.Unix(7, 0)
	data := []byte("png")
	result := tool.Result{Content: []tool.Content{{Type: tool.ContentImage, Data: data, MIMEType: "image/png"}}, Structured: json.RawMessage(`{"n":9007199254740993}`)}
	err := errors.Join(ok.Move(AwaitingConfirmation), ok.Move(Running), ok.End(at, result, nil),
		bad.Move(Running), bad.End(at, tool.Result{IsError: true}, &tool.Error{Code: tool.CodeTrap}),
		early.End(at, tool.Result{IsError: true}, &tool.Error{Code: tool.CodeNotFound}))
	if err != nil {
		t.Fatal(err)
	}
	data[0] = 'x'
	c, _ := s.Get("", "ok")
	if string(c.Result.Structured) != `{"n":9007199254740993}` || string(c.Result.Content[0].Data) != "png" || !c.Ended.Equal(at) || c.Status.StepStatus() != "success" {
		t.Errorf("got %+v", c)
	}
	if c, _ := s.Get("", "bad"); c.Err.Code != tool.CodeTrap || c.Status != Error || c.Status.StepStatus() != "failed" {
		t.Errorf("got %+v", c)
	}
	if c, _ := s.Get("", "early"); c.Err.Code != tool.CodeNotFound || c.Status != Error {
		t.Errorf("got %+v", c)
	}
	long := begin(t, s, "", "long")
	err = errors.Join(long.Move(Running), long.End(at, tool.Result{Content: []tool.Content{tool.TextContent(strings.Repeat("x", MaxResult+1))}}, nil))
	if c, _ := s.Get("", "long"); err != nil || c.Result != nil || !c.ResultOmitted || c.Status != Completed {
		t.Errorf("got %+v, %v", c, err)
	}
}

// A result is long wherever its bytes are (R85).
func TestLongResultsAreNotKept(t *testing.T) {
	s := New(0)
	long := strings.Repeat("x", MaxResult+1)
	for name, result := range map[string]tool.Result{
		"warning":     {Warnings: []string{long}},
		"uri":         {Content: []tool.Content{tool.LinkContent(tool.Resource{URI: long})}},
		"name":        {Content: []tool.Content{tool.LinkContent(tool.Resource{Name: long})}},
		"title":       {Content: []tool.Content{tool.LinkContent(tool.Resource{Title: long})}},
		"description": {Attachments: []tool.Content{tool.LinkContent(tool.Resource{Description: long})}},
	} {
		e := begin(t, s, "", name)
		if err := errors.Join(e.Move(Running), e.End(time.Now(), result, nil)); err != nil {
			t.Fatal(err)
		}
		if c, _ := s.Get("", name); c.Result != nil || !c.ResultOmitted {
			t.Errorf("a long %s is kept", name)
		}
	}
}

// IDs that are on their way are taken, each tenant's for itself (R40).
func TestLiveIDs(t *testing.T) {
	s := New(0)
	e := begin(t, s, "a", "1")
	begin(t, s, "b", "1")
	if _, err := s.Begin(Call{CallRef: tool.CallRef{Tenant: "a", ID: "1"}}); !errors.Is(err, ErrLive) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(e.Move(Running), e.End(time.Now(), tool.Result{}, nil)); err != nil {
		t.Fatal(err)
	}
	begin(t, s, "a", "1")
	if got := s.List("a"); len(got) != 1 || got[0].Status != Pending {
		t.Errorf("got %+v", got)
	}
}

// What a tool tells is merged in order, as a whole or not at all, and not after the end
// (R87).
func TestUpdates(t *testing.T) {
	s := New(0)
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
		{tool.Update{Title: "broken", Metadata: raw("a", "1", "b", "{")}, ErrInvalid},
		{tool.Update{Title: strings.Repeat("x", maxTitle+1)}, ErrTooLarge},
		{tool.Update{Metadata: raw("big", `"`+strings.Repeat("x", maxMetadata)+`"`)}, ErrTooLarge},
		{tool.Update{Metadata: many}, ErrTooLarge},
		{tool.Update{Progress: &tool.Progress{Message: strings.Repeat("x", maxMessage+1)}}, ErrTooLarge},
	}
	for i, step := range steps {
		if err := s.Update("", "a", step.update); !errors.Is(err, step.want) {
			t.Errorf("step %d: got %v, want %v", i, err, step.want)
		}
	}
	check := func() {
		t.Helper()
		c, _ := s.Get("", "a")
		if c.Title != "Searching" || len(c.Metadata) != 2 || string(c.Metadata["n"]) != "2" || c.Progress.Total != 2 || string(c.Metadata["kept"]) != `"x"` {
			t.Errorf("got %+v", c)
		}
		c.Metadata["n"][0] = '9' // a copy
	}
	check()
	check()
	if err := errors.Join(e.Move(Running), e.End(time.Now(), tool.Result{}, nil)); err != nil {
		t.Fatal(err)
	}
	if err := s.Update("", "a", tool.Update{Title: "late"}); !errors.Is(err, ErrEnded) {
		t.Errorf("got %v", err)
	}
	check()
	if err := s.Update("", "nothing", tool.Update{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v", err)
	}
	if err := s.Update("other", "a", tool.Update{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("another tenant: got %v", err)
	}
}

// What ended is kept in bounds and can be cleared; what is on its way stays (R85).
func TestBounds(t *testing.T) {
	s := New(5)
	live := begin(t, s, "a", "live")
	begin(t, s, "b", "live")
	end := func(tenant, id string) {
		e := begin(t, s, tenant, id)
		if err := errors.Join(e.Move(Running), e.End(time.Now(), tool.Result{}, nil)); err != nil {
			t.Error(err)
		}
	}
	end("b", "0")
	for i := range 50 {
		end("a", fmt.Sprint(i))
	}
	ids := func(tenant string) (list []string) {
		for _, c := range s.List(tenant) {
			list = append(list, c.ID)
		}
		return list
	}
	if got := fmt.Sprint(ids("a"), ids("b")); got != "[live 49 48 47 46] [live 0]" {
		t.Errorf("got %s", got)
	}
	s.Clear("a")
	if got := fmt.Sprint(ids("a"), ids("b")); got != "[live] [live 0]" {
		t.Errorf("after clearing: %s", got)
	}
	if err := live.Move(Running); err != nil {
		t.Error(err)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := New(10)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				id := fmt.Sprint(i, "-", j)
				e, err := s.Begin(Call{CallRef: tool.CallRef{ID: id}})
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(e.Update(tool.Update{Title: id}), e.Move(Running), e.End(time.Now(), tool.Result{}, nil)); err != nil {
					t.Error(err)
				}
				s.Get("", id)
				s.List("")
			}
		})
	}
	wg.Wait()
	if got := len(s.List("")); got != 10 {
		t.Errorf("%d calls are kept", got)
	}
}

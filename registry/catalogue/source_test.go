package catalogue

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// supply is a Source. The digest of each of its tools is the tool's description.
type supply struct {
	mu      sync.Mutex
	tools   []tool.Spec
	err     error
	asked   int
	closed  bool
	changed chan struct{}
}

func newSupply(tools ...tool.Spec) *supply {
	return &supply{tools: tools, changed: make(chan struct{}, 1)}
}

func (s *supply) set(err error, tools ...tool.Spec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools, s.err = tools, err
}

func (s *supply) Tools(context.Context) ([]tool.Sourced, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	var found []tool.Sourced
	for _, spec := range s.tools {
		found = append(found, tool.Sourced{Spec: spec, Executor: &identified{new(fake), spec.Description}})
	}
	return found, s.err
}

func (s *supply) Changed() <-chan struct{} { return s.changed }

func (s *supply) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func sourced(name, description string) tool.Spec {
	return tool.Spec{Name: name, Description: description, Source: "a server"}
}

func described(c *Catalogue) []string {
	var all []string
	for _, info := range c.List(Filter{Disabled: true}) {
		all = append(all, info.Name+" "+info.Description)
	}
	return all
}

// A tool that cannot be registered is in the log once, not after each change of its source.
func TestToolThatIsLeftOutIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c := New(Options{}, Hooks{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		s := newSupply(sourced("a", "1"), sourced("a", "twice"), sourced("Bad", "name"))
		if err := c.AddSource(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s.changed <- struct{}{}
			synctest.Wait()
		}
		s.set(nil, sourced("a", "1"), sourced("Bad", "name"), sourced("Worse", "name"))
		s.changed <- struct{}{}
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for _, name := range []string{"tool=a", "tool=Bad", "tool=Worse"} {
			if n := strings.Count(log.String(), name+" "); n != 1 {
				t.Errorf("%s is in the log %d times:\n%s", name, n, log.String())
			}
		}
	})
}

// The tools of a source follow its changes, and never replace tools that were registered in another
// way.
func TestToolsFollowTheirSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := withTool(t, echo(), new(fake))
		s := newSupply(sourced("a", "1"), sourced("b", "1"), sourced("echo", "taken"), sourced("a", "twice"), sourced("Bad", "name"))
		if err := c.AddSource(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		want := func(what string, all ...string) {
			t.Helper()
			synctest.Wait()
			if got := described(c); !slices.Equal(got, all) {
				t.Errorf("%s: got %q, want %q", what, got, all)
			}
		}
		want("at first", "a 1", "b 1", "echo Echoes.")
		if err := c.Disable("a"); err != nil {
			t.Fatal(err)
		}
		before, _ := c.Get("b")
		s.set(nil, sourced("a", "2"), sourced("b", "1"), sourced("c", "1"))
		s.changed <- struct{}{}
		want("changed", "a 2", "b 1", "c 1", "echo Echoes.")
		if a, _ := c.Get("a"); !a.Disabled {
			t.Error("a disabled tool was enabled")
		}
		if after, _ := c.Get("b"); after.CreatedAt != before.CreatedAt {
			t.Error("an unchanged tool was replaced")
		}
		s.set(nil, sourced("c", "1"))
		s.changed <- struct{}{}
		want("gone", "c 1", "echo Echoes.")

		// While the source fails, its tools stay registered. The Catalogue asks it again after the
		// RetryAfter of the error.
		s.set(&tool.Error{Code: tool.CodeNetwork, Message: "away", Details: tool.Details{RetryAfter: time.Hour}})
		s.changed <- struct{}{}
		want("failing", "c 1", "echo Echoes.")
		s.set(nil, sourced("d", "1"))
		time.Sleep(time.Hour - time.Second)
		want("before it is asked", "c 1", "echo Echoes.")
		time.Sleep(time.Second)
		want("asked again", "d 1", "echo Echoes.")

		if err := c.Close(); err != nil || !s.closed {
			t.Errorf("closed: %v, %v", s.closed, err)
		}
		asked := s.asked
		select {
		case s.changed <- struct{}{}:
		default:
		}
		synctest.Wait()
		if s.asked != asked {
			t.Error("a closed catalogue asks the source")
		}
	})
}

// If the first request to a source fails, AddSource returns the error, and the Catalogue asks the
// source again later.
func TestSourceThatFailsAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := New(Options{}, Hooks{}), newSupply()
		away := errors.New("away")
		s.set(away)
		if err := c.AddSource(t.Context(), s); !errors.Is(err, away) {
			t.Errorf("got %v", err)
		}
		s.set(nil, sourced("a", "1"))
		time.Sleep(sourceRetry)
		synctest.Wait()
		if !c.Has("a") {
			t.Error("it was not asked again")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		late := newSupply()
		if err := c.AddSource(t.Context(), late); tool.CodeOf(err) != tool.CodeCancelled || !late.closed {
			t.Errorf("after the end: %v, closed %v", err, late.closed)
		}
	})
}

// hanging is a source that answers when it is closed.
type hanging struct {
	*supply
	ended chan struct{}
}

func (h hanging) Tools(ctx context.Context) ([]tool.Sourced, error) {
	select {
	case <-h.ended:
		return nil, errors.New("closed")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h hanging) Close() error {
	close(h.ended)
	return nil
}

// A source that hangs keeps neither other sources nor Close waiting.
func TestHangingSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{}, Hooks{})
		hangs := c.StartSource(hanging{newSupply(), make(chan struct{})})
		if err := <-c.StartSource(newSupply(sourced("a", "1"))); err != nil || !c.Has("a") {
			t.Errorf("the other source: %v, its tool is there: %v", err, c.Has("a"))
		}
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := c.WaitForSources(short); tool.CodeOf(err) != tool.CodeTimeout {
			t.Errorf("waiting for both: %v", err)
		}
		if err := c.AddSource(short, hanging{newSupply(), make(chan struct{})}); tool.CodeOf(err) != tool.CodeTimeout {
			t.Errorf("adding one more: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-hangs; err == nil {
			t.Error("the hanging source has tools")
		}
		if err := c.WaitForSources(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

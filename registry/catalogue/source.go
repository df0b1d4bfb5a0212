package catalogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// sourceRetry is the wait after an error of a source, if the error has no RetryAfter.
const sourceRetry = 30 * time.Second

// AddSource adds a source as StartSource does, and waits until the source has been asked once. The
// error is the error of that request, or of ctx. The source stays added in both cases.
func (c *Catalogue) AddSource(ctx context.Context, source tool.Source) error {
	select {
	case err := <-c.StartSource(source):
		return err
	case <-ctx.Done():
		return tool.Ended(ctx, "the source is still asked for its tools")
	}
}

// StartSource registers the tools of a source in the background and follows their changes: it
// registers new tools, replaces changed tools and unregisters removed tools. If a tool cannot be
// registered, because its name is taken or its definition is invalid, it is left out and a warning
// is logged. While the source returns errors, its tools stay registered, and it is asked again
// later. The channel receives the error of the first request, nil if there is none, or cancelled if
// the Catalogue is closed.
//
// The Catalogue owns the source afterwards.
func (c *Catalogue) StartSource(source tool.Source) <-chan error {
	ctx, end := context.WithCancel(context.Background())
	f := &followed{c: c, source: source, known: make(map[string]string), end: end, asked: make(chan struct{}), ended: make(chan struct{})}
	first := make(chan error, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		end()
		first <- errors.Join(errClosed(""), source.Close())
		return first
	}
	c.sources = append(c.sources, f)
	c.mu.Unlock()
	go func() {
		err := f.update(ctx)
		close(f.asked)
		first <- err
		f.follow(ctx, err)
	}()
	return first
}

// WaitForSources waits until each source has been asked for its tools once. The error is the error
// of ctx.
func (c *Catalogue) WaitForSources(ctx context.Context) error {
	c.mu.Lock()
	sources := slices.Clone(c.sources)
	c.mu.Unlock()
	for _, f := range sources {
		select {
		case <-f.asked:
		case <-ctx.Done():
			return tool.Ended(ctx, "a source is still asked for its tools")
		}
	}
	return nil
}

// followed is a source whose tools are kept up to date. Only one goroutine at a time uses it.
type followed struct {
	c      *Catalogue
	source tool.Source
	known  map[string]string // digests of its registered tools, by name
	out    map[string]bool   // names and reasons of the tools that the last update left out
	end    func()            // stops follow
	asked  chan struct{}     // closed after the first request for the tools of the source
	ended  chan struct{}     // closed when follow has returned
}

// follow updates the tools until ctx is done. err is the error of the first update.
func (f *followed) follow(ctx context.Context, err error) {
	defer close(f.ended)
	logged := fmt.Sprint(err) // by the caller; each reason is logged once until an update succeeds
	for {
		var again <-chan time.Time
		if err != nil {
			again = time.After(retryAfter(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-f.source.Changed():
		case <-again:
		}
		if err = f.update(ctx); err != nil && ctx.Err() == nil && err.Error() != logged {
			f.c.log.Warn("cannot get the tools of a source", "reason", err)
		}
		logged = fmt.Sprint(err)
	}
}

// retryAfter returns the wait before a source is asked again after an error.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Details.RetryAfter > 0 {
		return e.Details.RetryAfter
	}
	return sourceRetry
}

// update registers, replaces and unregisters tools to match the current tools of the source.
func (f *followed) update(ctx context.Context) error {
	tools, err := f.source.Tools(ctx)
	if err != nil {
		return err
	}
	before := f.out
	f.out = make(map[string]bool)
	current := make(map[string]bool)
	for _, t := range tools {
		if current[t.Spec.Name] {
			f.leaveOut(t, before, fmt.Errorf("another tool of the source has the name %s", t.Spec.Name))
			continue
		}
		current[t.Spec.Name] = true
		if err := f.put(ctx, t); err != nil {
			f.leaveOut(t, before, err)
		}
	}
	for name := range f.known {
		if !current[name] {
			f.drop(name)
		}
	}
	return nil
}

// put registers a tool or replaces it, unless the same tool is already registered.
func (f *followed) put(ctx context.Context, t tool.Sourced) error {
	name := t.Spec.Name
	digest, err := digestOf(ctx, t.Executor)
	if err != nil {
		return err
	}
	before, known := f.known[name]
	if known && before == digest {
		return t.Executor.Close() // the registered executor already runs this tool
	}
	if !known {
		err = f.c.Register(t.Spec, t.Executor)
	} else if _, err = f.c.Replace(name, t.Spec, t.Executor); err != nil {
		f.drop(name) // the source no longer has the old tool
	}
	if err == nil {
		f.known[name] = digest
	}
	return err
}

func (f *followed) drop(name string) {
	delete(f.known, name)
	if _, err := f.c.Unregister(name); err != nil {
		f.c.log.Warn("cannot close a tool of a source", "tool", name, "reason", err)
	}
}

// leaveOut closes a tool that cannot be registered. It logs the reason, unless before contains the
// tool with the same reason.
func (f *followed) leaveOut(t tool.Sourced, before map[string]bool, err error) {
	problem := t.Spec.Name + ": " + err.Error()
	f.out[problem] = true
	if !before[problem] {
		f.c.log.Warn("did not register a tool of a source", "tool", t.Spec.Name, "source", t.Spec.Source, "reason", err)
	}
	if err := t.Executor.Close(); err != nil {
		f.c.log.Warn("cannot close a tool of a source", "tool", t.Spec.Name, "reason", err)
	}
}

// close closes the source and waits until follow has returned.
func (f *followed) close() error {
	f.end()
	err := f.source.Close()
	<-f.ended
	return err
}

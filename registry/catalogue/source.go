package catalogue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// sourceRetry is the wait after an error of a source, if the error has no RetryAfter.
const sourceRetry = 30 * time.Second

// AddSource registers the tools of a source and follows their changes: it registers new tools,
// replaces changed tools and unregisters removed tools. If a tool cannot be registered, because its
// name is taken or its definition is invalid, AddSource leaves it out and logs a warning. While the
// source returns errors, its tools stay registered.
//
// AddSource returns the error of the first request for tools, or the code cancelled if the
// Catalogue is closed. In either case the Catalogue owns the source afterwards. After an error of
// the source, the Catalogue asks it again later.
func (c *Catalogue) AddSource(ctx context.Context, source tool.Source) error {
	following, end := context.WithCancel(context.Background())
	f := &followed{c: c, source: source, known: make(map[string]string), end: end, ended: make(chan struct{})}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		end()
		return errors.Join(errClosed(""), source.Close())
	}
	c.sources = append(c.sources, f)
	c.mu.Unlock()
	err := f.update(ctx)
	go f.follow(following, err)
	return err
}

// followed is a source whose tools are kept up to date. Only one goroutine at a time uses it.
type followed struct {
	c      *Catalogue
	source tool.Source
	known  map[string]string // digests of its registered tools, by name
	end    func()            // stops follow
	ended  chan struct{}     // closed when follow has returned
}

// follow updates the tools until ctx is done. err is the error of the first update.
func (f *followed) follow(ctx context.Context, err error) {
	defer close(f.ended)
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
		if err = f.update(ctx); err != nil && ctx.Err() == nil {
			f.c.log.Warn("cannot get the tools of a source", "reason", err)
		}
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
	current := make(map[string]bool)
	for _, t := range tools {
		if current[t.Spec.Name] {
			f.leaveOut(t, fmt.Errorf("another tool of the source has the name %s", t.Spec.Name))
			continue
		}
		current[t.Spec.Name] = true
		if err := f.put(ctx, t); err != nil {
			f.leaveOut(t, err)
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

func (f *followed) leaveOut(t tool.Sourced, err error) {
	f.c.log.Warn("did not register a tool of a source", "tool", t.Spec.Name, "source", t.Spec.Source, "reason", err)
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

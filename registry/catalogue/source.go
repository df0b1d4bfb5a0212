package catalogue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// sourceRetry is the wait before a source that failed is asked again, where it does not say.
const sourceRetry = 30 * time.Second

// AddSource registers the tools of a source, and follows what becomes of them: new ones
// are registered, changed ones replaced, and those that are gone unregistered. A tool that
// cannot be registered, since its name is taken or its definition does not hold, is left out
// and the Logger told. Tools stay while the source cannot say which there are.
//
// The Catalogue owns the source from then on, whatever AddSource returns, and asks it again
// after it failed. The error is that of asking it the first time, or cancelled when the
// Catalogue is closed.
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

// followed is a source whose tools are kept up to date, by one goroutine at a time.
type followed struct {
	c      *Catalogue
	source tool.Source
	known  map[string]string // digests of its tools that are registered, by name
	end    func()            // ends following
	ended  chan struct{}
}

// follow updates the tools until ctx is done. err is how the first time went.
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
			f.c.log.Warn("the tools of a source are not known", "reason", err)
		}
	}
}

// retryAfter is the wait before a source is asked again.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Details.RetryAfter > 0 {
		return e.Details.RetryAfter
	}
	return sourceRetry
}

// update makes the tools that are registered those that there are.
func (f *followed) update(ctx context.Context) error {
	tools, err := f.source.Tools(ctx)
	if err != nil {
		return err
	}
	there := make(map[string]bool)
	for _, t := range tools {
		if there[t.Spec.Name] {
			f.leftOut(t, fmt.Errorf("another of its tools has the name %s", t.Spec.Name))
			continue
		}
		there[t.Spec.Name] = true
		if err := f.put(ctx, t); err != nil {
			f.leftOut(t, err)
		}
	}
	for name := range f.known {
		if !there[name] {
			f.drop(name)
		}
	}
	return nil
}

// put enters a tool, if it is not there as it is.
func (f *followed) put(ctx context.Context, t tool.Sourced) error {
	name := t.Spec.Name
	digest, err := digestOf(ctx, t.Executor)
	if err != nil {
		return err
	}
	before, known := f.known[name]
	if known && before == digest {
		return t.Executor.Close() // the one that is there does as well
	}
	if !known {
		err = f.c.Register(t.Spec, t.Executor)
	} else if _, err = f.c.Replace(name, t.Spec, t.Executor); err != nil {
		f.drop(name) // what there was is there no more
	}
	if err == nil {
		f.known[name] = digest
	}
	return err
}

func (f *followed) drop(name string) {
	delete(f.known, name)
	if _, err := f.c.Unregister(name); err != nil {
		f.c.log.Warn("a tool of a source does not close", "tool", name, "reason", err)
	}
}

func (f *followed) leftOut(t tool.Sourced, err error) {
	f.c.log.Warn("a tool of a source is left out", "tool", t.Spec.Name, "source", t.Spec.Source, "reason", err)
	if err := t.Executor.Close(); err != nil {
		f.c.log.Warn("a tool of a source does not close", "tool", t.Spec.Name, "reason", err)
	}
}

// close ends the source, and waits until its tools are left alone.
func (f *followed) close() error {
	f.end()
	err := f.source.Close()
	<-f.ended
	return err
}

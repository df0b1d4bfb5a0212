package applypatch

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// commit does what is planned. On an error it puts back what was, and says so if that
// fails too. Files are removed last, so that one is rarely to be made anew, which
// would lose its permissions.
func (p *plan) commit() error {
	var undo []func() error
	steps := []func(planned) (func() error, error){p.write, p.move, p.remove}
	for _, step := range steps {
		for _, f := range p.files {
			back, err := step(f)
			if err != nil {
				return rollBack(undo, err)
			}
			if back != nil {
				undo = append(undo, back)
			}
		}
	}
	return nil
}

// rollBack takes back what was done, the last first.
func rollBack(undo []func() error, cause error) error {
	var left []error
	for i := len(undo) - 1; i >= 0; i-- {
		if err := undo[i](); err != nil {
			left = append(left, err)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("%w; what was changed before could not all be put back: %w", cause, errors.Join(left...))
	}
	return fmt.Errorf("%w; nothing was changed", cause)
}

// write writes an added or updated file, and returns how to take that back.
func (p *plan) write(f planned) (back func() error, err error) {
	if f.kind == remove || f.kind == update && bytes.Equal(f.old, f.new) {
		return nil, nil
	}
	made, err := p.dir.Write(param, f.name, f.was, f.new)
	if err != nil {
		return nil, err
	}
	return func() error {
		if f.kind == update {
			return p.restore(f.name, f.old)
		}
		_, was, err := p.dir.Target(param, f.name)
		if err == nil && was != nil {
			err = p.dir.Remove(param, f.name, was)
		}
		p.dir.RemoveFolders(made)
		return err
	}, nil
}

// move gives a file its new name.
func (p *plan) move(f planned) (back func() error, err error) {
	if f.moveTo == "" {
		return nil, nil
	}
	made, err := p.dir.Move(param, f.name, f.moveTo)
	if err != nil {
		return nil, err
	}
	return func() error {
		_, err := p.dir.Move(param, f.moveTo, f.name)
		p.dir.RemoveFolders(made)
		return err
	}, nil
}

// remove removes a file that is to go.
func (p *plan) remove(f planned) (back func() error, err error) {
	if f.kind != remove {
		return nil, nil
	}
	if err := p.dir.Remove(param, f.name, f.was); err != nil {
		return nil, err
	}
	return func() error { return p.restore(f.name, f.old) }, nil
}

// restore gives a file its content back.
func (p *plan) restore(name string, content []byte) error {
	_, was, err := p.dir.Target(param, name)
	if err != nil {
		return fmt.Errorf("%s: %w", workspace.Display(name), err)
	}
	_, err = p.dir.Write(param, name, was, content)
	return err
}

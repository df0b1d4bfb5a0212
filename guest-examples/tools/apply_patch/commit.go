package applypatch

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// commit makes the changes of the plan. On an error it restores the previous state, and reports an
// error of the restoration as well. It removes files last, because it would have to create them
// again to restore them, and the new files would lack the old permissions.
func (p *plan) commit() error {
	var undo []func() error
	steps := []func(planned) (func() error, error){p.write, p.move, p.erase}
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

// rollBack calls the functions of undo in reverse order. cause is the error that made this
// necessary.
func rollBack(undo []func() error, cause error) error {
	var left []error
	for i := len(undo) - 1; i >= 0; i-- {
		if err := undo[i](); err != nil {
			left = append(left, err)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("%w; some earlier changes could not be undone: %w", cause, errors.Join(left...))
	}
	return fmt.Errorf("%w; nothing was changed", cause)
}

// write writes an added or updated file, and returns a function that undoes the change.
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
		p.dir.RemoveDirectories(made)
		return err
	}, nil
}

// move renames a file, and returns a function that undoes the change.
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
		p.dir.RemoveDirectories(made)
		return err
	}, nil
}

// erase removes a file that the patch deletes.
func (p *plan) erase(f planned) (back func() error, err error) {
	if f.kind != remove {
		return nil, nil
	}
	if err := p.dir.Remove(param, f.name, f.was); err != nil {
		return nil, err
	}
	return func() error { return p.restore(f.name, f.old) }, nil
}

// restore writes the previous content of a file.
func (p *plan) restore(name string, content []byte) error {
	_, was, err := p.dir.Target(param, name)
	if err != nil {
		return fmt.Errorf("%s: %w", workspace.Display(name), err)
	}
	_, err = p.dir.Write(param, name, was, content)
	return err
}

package registry

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/admission"
	"github.com/wasmtool/wasmtool/registry/internal/writelock"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// waitForTurn returns when the tool may run: its tenant has a place, and no call changes
// the files that it may change. Waiting has a time of its own.
func (r *Registry) waitForTurn(ctx context.Context, x *execution) (leave func(), err error) {
	changes := x.changes()
	if len(changes) == 0 && r.quota.queue == nil {
		return func() {}, nil
	}
	asked := time.Now()
	defer func() { x.waited += time.Since(asked) }()
	waiting, cancel := context.WithTimeout(ctx, r.opts.WaitTimeout)
	defer cancel()
	// The lock comes first: who waits for it takes nobody's place.
	unlock, err := r.writes.Lock(waiting, x.call.Tenant, changes...)
	switch {
	case errors.Is(err, writelock.ErrFull):
		return nil, errTooMany()
	case err != nil:
		return nil, r.noTurn(ctx, "a call that changes the same files runs", "files in use")
	}
	exit, err := r.quota.enter(waiting, x.call.Tenant)
	switch {
	case errors.Is(err, admission.ErrFull):
		unlock()
		return nil, errTooMany()
	case err != nil:
		unlock()
		return nil, r.noTurn(ctx, "other calls run", "calls")
	}
	return func() { exit(); unlock() }, nil
}

// errTooMany is the failure of a call that may not even wait.
func errTooMany() error {
	return &tool.Error{
		Code: tool.CodeResourceExhausted, Message: "too many calls run and wait already; try again later",
		Details: tool.Details{Limit: "calls"},
	}
}

// noTurn is the failure of a call that waited in vain.
func (r *Registry) noTurn(ctx context.Context, why, limit string) error {
	if err := cancelled(ctx); err != nil {
		return err
	}
	return &tool.Error{
		Code: tool.CodeResourceExhausted, Details: tool.Details{Limit: limit},
		Message: fmt.Sprintf("the call did not get its turn within %v: %s; try again later", r.opts.WaitTimeout, why),
	}
}

// changes are the paths of the host that the call may change: the one file that the tool
// names as the one that it changes, or all that it may write to.
func (x *execution) changes() []string {
	var dirs []string
	for _, m := range x.grant.FS {
		if m.Mode == capability.ModeWrite && m.Mount != capability.ScratchMount {
			dirs = append(dirs, absolute(m.Dir))
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	if file, ok := x.changedFile(); ok {
		return []string{file}
	}
	return dirs
}

// changedFile is where the file lies that the tool says it changes. It is false when there
// is none, or none that is clearly below a mount for writing.
func (x *execution) changedFile() (string, bool) {
	name, ok := x.arguments.Text(x.entry.spec.Changes)
	if !ok || x.entry.spec.Changes == "" {
		return "", false
	}
	for _, m := range x.grant.FS {
		if m.Mount == workspaceMount && !path.IsAbs(name) {
			name = path.Join(m.GuestPath(), name) // relative paths of guests begin there
		}
	}
	name = path.Clean(name)
	for _, m := range x.grant.FS {
		if rest, below := strings.CutPrefix(name, m.GuestPath()+"/"); below && m.Mode == capability.ModeWrite && m.Dir != "" {
			return filepath.Join(absolute(m.Dir), filepath.FromSlash(rest)), true
		}
	}
	return "", false
}

// workspaceMount is the mount at whose root guests begin.
const workspaceMount = "workspace"

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

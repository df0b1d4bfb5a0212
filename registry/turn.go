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
	"github.com/wasmtool/wasmtool/internal/callqueue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// waitForTurn returns when the tool may run: there is a place for it, its tenant has a place
// and memory for it, and no call changes the files that it may change. Until then it keeps
// nothing from others. Waiting has a time of its own.
func (r *Registry) waitForTurn(ctx context.Context, x *execution) (leave func(), err error) {
	need := callqueue.Need{Tenant: x.call.Tenant, Name: x.toolName(), Paths: x.changes()}
	if x.literal {
		need.Name += ", which another tool such as process began,"
	}
	if need.Memory, err = r.memoryFor(x); err != nil {
		return nil, err
	}
	if len(need.Paths) == 0 && !r.bounded {
		return func() {}, nil
	}
	asked := time.Now()
	defer func() { x.waited += time.Since(asked) }()
	waiting, cancel := context.WithTimeout(ctx, r.opts.Schedule.WaitTimeout)
	defer cancel()
	turn, err := r.turns.Enter(waiting, need)
	var gaveUp *callqueue.GaveUp
	switch {
	case err == nil:
		return turn.Leave, nil
	case errors.As(err, &gaveUp):
		return nil, r.noTurn(ctx, gaveUp)
	}
	return nil, &tool.Error{
		Code: tool.CodeResourceExhausted, Message: "too many calls run and wait already; try again later",
		Details: tool.Details{Limit: "calls"},
	}
}

// memoryFor is what the call counts as in the memory of its tenant. It is an error if the
// tenant will never have as much.
func (r *Registry) memoryFor(x *execution) (uint64, error) {
	bounded, ok := x.entry.executor.(tool.MemoryBounded)
	most := r.opts.Schedule.MaxTenantMemory
	if !ok || most == 0 {
		return 0, nil
	}
	memory := bounded.MaxMemory()
	if memory <= most {
		return memory, nil
	}
	return 0, &tool.Error{
		Code: tool.CodeResourceExhausted, Details: tool.Details{Limit: limitMemory},
		Message: fmt.Sprintf("a call of the tool may use %d bytes of memory, and all calls of the tenant together %d; "+
			"lower limits.memory of the tool, or let the operator raise the tenant's memory", memory, most),
	}
}

// limitMemory is the limit that a call without memory of its tenant meets.
const limitMemory = "memory of the tenant"

// noTurn is the failure of a call that waited in vain.
func (r *Registry) noTurn(ctx context.Context, gaveUp *callqueue.GaveUp) error {
	if err := callerror.OfContext(ctx); err != nil {
		return err
	}
	why, limit := "other calls run", "calls"
	switch gaveUp.For {
	case callqueue.Files:
		why, limit = "a call that changes the same files runs", "files in use"
		if gaveUp.Holder != "" {
			why = fmt.Sprintf("a call of %s has run for %v and may change the same files", gaveUp.Holder, time.Since(gaveUp.Held).Round(time.Second))
		}
	case callqueue.Memory:
		why, limit = "other calls of the tenant use its memory", limitMemory
	}
	return &tool.Error{
		Code: tool.CodeResourceExhausted, Details: tool.Details{Limit: limit},
		Message: fmt.Sprintf("the call did not get its turn within %v: %s; try again later", r.opts.Schedule.WaitTimeout, why),
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

package registry

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// pinMounts holds a call that needs a yes to the directories that its mounts lead to now, so
// that the yes is for these: whatever opens them compares. It notes as bounds all that says what
// the call may reach, for hashes and nothing else.
func (r *Registry) pinMounts(ctx context.Context, x *execution) error {
	pinned, err := r.pin(ctx, x.grant.FS)
	if err != nil {
		return err
	}
	x.bounds = slices.Clone(x.words)
	x.grant.FS = nil
	for _, mount := range pinned {
		x.grant.FS = append(x.grant.FS, mount.GrantedFS)
		if ofTheHost(mount.GrantedFS) {
			// A directory that does not open now is none that another call could have.
			x.bounds = append(x.bounds, "mount "+mount.Mount+" is "+cmp.Or(mount.leads, x.call.ID))
		}
	}
	for _, denied := range x.grant.NetDeny {
		x.bounds = append(x.bounds, "not "+denied.String())
	}
	for _, granted := range x.grant.Net {
		for _, secret := range granted.Secrets {
			for _, u := range secret.URLs {
				x.bounds = append(x.bounds, "secret "+secret.Name+" to "+u.String())
			}
		}
	}
	return nil
}

// pinnedMount is a mount with the directory that it leads to.
type pinnedMount struct {
	capability.GrantedFS
	leads string // names the directory; "" when it does not open, and for the scratch folder
}

// pin opens the directories of mounts and sets Is to what they are. That can hang in the host:
// then the call is let go, as where they are opened for the tool.
func (r *Registry) pin(ctx context.Context, mounts []capability.GrantedFS) ([]pinnedMount, error) {
	pinned := make([]pinnedMount, len(mounts))
	for i, mount := range mounts {
		pinned[i].GrantedFS = mount
	}
	if !slices.ContainsFunc(mounts, ofTheHost) {
		return pinned, nil
	}
	opening, cancel := context.WithTimeout(ctx, r.opts.LoadTimeout)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range pinned {
			if ofTheHost(pinned[i].GrantedFS) {
				pinned[i].open()
			}
		}
	}()
	select {
	case <-done:
		return pinned, nil
	case <-opening.Done():
	}
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return nil, (&tool.Error{Code: tool.CodeTimeout, Message: "the directories of the grant do not open"}).WithCause(opening.Err())
}

func ofTheHost(m capability.GrantedFS) bool { return m.Mount != capability.ScratchMount }

// noDirectory is what a mount has to be whose directory cannot be opened now: none that is there
// later is the one that the yes is for.
type noDirectory struct{ fs.FileInfo }

func (m *pinnedMount) open() {
	now, err := hostfuncs.Identify(m.Dir)
	if err != nil {
		m.Is = noDirectory{}
		return
	}
	m.Is, m.leads = now.Info, now.ID+" "+now.Path
}

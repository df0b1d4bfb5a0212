package registry

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// pinMounts ties a call that needs a yes to the directories that its mounts lead to now. What
// opens them later compares. It also fills bounds, which only hashes use.
func (r *Registry) pinMounts(ctx context.Context, x *execution) error {
	pinned, err := r.pin(ctx, x.grant.FS)
	if err != nil {
		return err
	}
	x.bounds = capability.Strings(x.words)
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

// maxOpenings is how many calls open directories to look at them at once. A directory that
// hangs in the host keeps its place until it opens.
const maxOpenings = 64

// maxOpening is how long that may take.
const maxOpening = 10 * time.Second

// pin opens the directories of mounts and sets Is to what they are. That can hang in the host:
// then the call ends, and what hangs is left behind and counted.
func (r *Registry) pin(ctx context.Context, mounts []capability.GrantedFS) ([]pinnedMount, error) {
	pinned := make([]pinnedMount, len(mounts))
	for i, mount := range mounts {
		pinned[i].GrantedFS = mount
	}
	if !slices.ContainsFunc(mounts, ofTheHost) {
		return pinned, nil
	}
	opening, cancel := context.WithTimeout(ctx, min(maxOpening, r.opts.Tools.LoadTimeout))
	defer cancel()
	done := make(chan struct{})
	select {
	case r.openings <- struct{}{}:
	case <-opening.Done():
		return nil, notOpened(ctx, opening)
	}
	go func() {
		defer close(done)
		defer func() { <-r.openings }()
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
		return nil, notOpened(ctx, opening)
	}
}

// notOpened is the error of a call whose directories hang.
func notOpened(ctx, opening context.Context) error {
	if err := callerror.OfContext(ctx); err != nil {
		return err
	}
	return (&tool.Error{Code: tool.CodeTimeout, Message: "the granted directories could not be opened in time"}).WithCause(opening.Err())
}

func ofTheHost(m capability.GrantedFS) bool { return m.Mount != capability.ScratchMount }

// noDirectory is what a mount has to be whose directory cannot be opened now: none that is there
// later is the one that the yes is for.
type noDirectory struct{ fs.FileInfo }

func (m *pinnedMount) open() {
	now, err := files.Identify(m.Dir)
	if err != nil || m.Is != nil && !os.SameFile(m.Is, now.Info) {
		m.Is = noDirectory{} // nor does a grant for another directory become one for this
		return
	}
	m.Is, m.Real, m.leads = now.Info, now.Path, now.ID+" "+now.Path
}

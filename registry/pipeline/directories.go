package pipeline

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// pinMounts ties a call that needs a yes to the directories that its mounts lead to now; what
// opens them later compares. It returns everything that bounds what the call may reach, for
// hashes.
func (p *Pipeline) pinMounts(ctx context.Context, a *authorised, id string) (bounds []string, err error) {
	pinned, err := p.pin(ctx, a.grant.FS)
	if err != nil {
		return nil, err
	}
	bounds = capability.Strings(a.words)
	a.grant.FS = nil
	for _, mount := range pinned {
		a.grant.FS = append(a.grant.FS, mount.GrantedFS)
		if ofTheHost(mount.GrantedFS) {
			// A directory that does not open now is none that another call could have.
			bounds = append(bounds, "mount "+mount.Mount+" is "+cmp.Or(mount.leads, id))
		}
	}
	for _, denied := range a.grant.NetDeny {
		bounds = append(bounds, "not "+denied.String())
	}
	for _, granted := range a.grant.Net {
		for _, secret := range granted.Secrets {
			for _, u := range secret.URLs {
				bounds = append(bounds, "secret "+secret.Name+" to "+u.String())
			}
		}
	}
	return bounds, nil
}

// pinnedMount is a mount with the directory that it leads to.
type pinnedMount struct {
	capability.GrantedFS
	leads string // names the directory; "" when it does not open, and for the scratch directory
}

// maxOpenings is how many calls open directories to look at them at once. A directory that
// hangs in the host keeps its place until it opens.
const maxOpenings = 64

// maxOpening is how long that may take.
const maxOpening = 10 * time.Second

// pin opens the directories of mounts and sets Is to what they are. That can hang in the host:
// then the call ends, and what hangs is left behind and counted.
func (p *Pipeline) pin(ctx context.Context, mounts []capability.GrantedFS) ([]pinnedMount, error) {
	pinned := make([]pinnedMount, len(mounts))
	for i, mount := range mounts {
		pinned[i].GrantedFS = mount
	}
	if !slices.ContainsFunc(mounts, ofTheHost) {
		return pinned, nil
	}
	opening, cancel := context.WithTimeout(ctx, min(maxOpening, p.o.LoadTimeout))
	defer cancel()
	done := make(chan struct{})
	select {
	case p.openings <- struct{}{}:
	case <-opening.Done():
		return nil, errNotOpened(ctx, opening)
	}
	go func() {
		defer close(done)
		defer func() { <-p.openings }()
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
		return nil, errNotOpened(ctx, opening)
	}
}

// errNotOpened is the failure of a call whose directories hang.
func errNotOpened(ctx, opening context.Context) error {
	if err := callerror.OfContext(ctx); err != nil {
		return err
	}
	return (&tool.Error{Code: tool.CodeTimeout, Message: "the granted directories could not be opened in time"}).WithCause(opening.Err())
}

func ofTheHost(m capability.GrantedFS) bool { return m.Mount != capability.ScratchMount }

// noDirectory stands for the directory of a mount that cannot be opened now: none that is
// there later is the one that the yes was for.
type noDirectory struct{ fs.FileInfo }

func (m *pinnedMount) open() {
	now, err := files.Identify(m.Dir)
	if err != nil || m.Is != nil && !os.SameFile(m.Is, now.Info) {
		m.Is = noDirectory{} // nor does a grant for another directory become one for this
		return
	}
	m.Is, m.Real, m.leads = now.Info, now.Path, now.ID+" "+now.Path
}

// Directories returns where the mounts that a tool asks for lead to now, for
// remembered.Grant.Directories. A mount that is not bound, or whose directory does not open, is
// left out. Errors are an *Error: not_found, and timeout where a directory hangs.
func (p *Pipeline) Directories(ctx context.Context, name string) ([]remembered.Directory, error) {
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return nil, err
	}
	pinned, err := p.pin(ctx, boundMounts(t.Spec.Permissions, p.rules.Load().GrantableFor(t.Spec.Name)))
	if err != nil {
		return nil, err
	}
	var all []remembered.Directory
	for _, mount := range pinned {
		if mount.leads != "" && !slices.ContainsFunc(all, func(d remembered.Directory) bool { return d.Path == mount.Dir }) {
			all = append(all, remembered.Directory{Path: mount.Dir, Leads: mount.leads})
		}
	}
	return all, nil
}

// boundMounts are the mounts that a tool asks for and that are bound, with absolute paths.
func boundMounts(asks capability.Permissions, offer capability.Grantable) []capability.GrantedFS {
	var mounts []capability.GrantedFS
	for _, wanted := range asks.FS {
		bound, ok := offer.Mounts[wanted.Mount]
		if !ok || wanted.Mount == capability.ScratchMount {
			continue
		}
		if dir, err := filepath.Abs(bound.Dir); err == nil {
			mounts = append(mounts, capability.GrantedFS{FS: wanted, Dir: dir})
		}
	}
	return mounts
}

// stillLeads reports whether the paths that the grant lists still lead to the same directories.
// It returns these by mount; what opens them for the tool compares.
func (p *Pipeline) stillLeads(ctx context.Context, g remembered.Grant, asks capability.Permissions, offer capability.Grantable) (bool, map[string]fs.FileInfo, error) {
	led := make(map[string]string)
	for _, d := range g.Directories {
		led[d.Path] = d.Leads
	}
	mounts := slices.DeleteFunc(boundMounts(asks, offer), func(m capability.GrantedFS) bool { return led[m.Dir] == "" })
	pinned, err := p.pin(ctx, mounts)
	if err != nil {
		return false, nil, err
	}
	is := make(map[string]fs.FileInfo)
	for _, mount := range pinned {
		if mount.leads != led[mount.Dir] {
			return false, nil, nil
		}
		is[mount.Mount] = mount.Is
	}
	return true, is, nil
}

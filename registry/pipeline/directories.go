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

// pinMounts ties a call that needs an approval to the directories that its mounts lead to now. The
// code that opens them later compares the directories. pinMounts returns all limits of the call's
// access, which become part of the key of the approval.
func (p *Pipeline) pinMounts(ctx context.Context, a *authorised, id string) (bounds []string, err error) {
	pinned, err := p.pin(ctx, a.grant.FS)
	if err != nil {
		return nil, err
	}
	bounds = capability.Strings(a.permissions)
	a.grant.FS = nil
	for _, mount := range pinned {
		a.grant.FS = append(a.grant.FS, mount.GrantedFS)
		if isHostMount(mount.GrantedFS) {
			// A directory that does not open has the call's ID as its identity, so that an approval
			// covers no other call.
			bounds = append(bounds, "mount "+mount.Mount+" is "+cmp.Or(mount.target, id))
		}
	}
	if directory := a.Call.WorkingDirectory; directory != "" { // relative paths depend on it
		bounds = append(bounds, "working directory "+directory)
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
	// identifies the directory; "" for a directory that does not open, and for the scratch
	// directory
	target string
}

// maxOpenings limits the calls that open directories concurrently. If a directory hangs, its call
// counts until the directory opens.
const maxOpenings = 64

// maxOpening limits the time for opening the directories of a call.
const maxOpening = 10 * time.Second

// pin opens the directories of mounts, and sets the field Is of each mount to the identity of its
// directory. Opening can hang in the host. The call then fails, and the goroutine that hangs is
// left behind but still counts against maxOpenings.
func (p *Pipeline) pin(ctx context.Context, mounts []capability.GrantedFS) ([]pinnedMount, error) {
	pinned := make([]pinnedMount, len(mounts))
	for i, mount := range mounts {
		pinned[i].GrantedFS = mount
	}
	if !slices.ContainsFunc(mounts, isHostMount) {
		return pinned, nil
	}
	err := p.opening(ctx, func() {
		for i := range pinned {
			if isHostMount(pinned[i].GrantedFS) {
				pinned[i].open()
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return pinned, nil
}

// opening calls a function that opens directories and can hang in the host. After an error, the
// function may still be running.
func (p *Pipeline) opening(ctx context.Context, open func()) error {
	opening, cancel := context.WithTimeout(ctx, min(maxOpening, p.o.LoadTimeout))
	defer cancel()
	done := make(chan struct{})
	select {
	case p.openings <- struct{}{}:
	case <-opening.Done():
		return errNotOpened(ctx, opening)
	}
	go func() {
		defer close(done)
		defer func() { <-p.openings }()
		open()
	}()
	select {
	case <-done:
		return nil
	case <-opening.Done():
		return errNotOpened(ctx, opening)
	}
}

// errNotOpened returns the error of a call whose directories did not open in time.
func errNotOpened(ctx, opening context.Context) error {
	if err := callerror.OfContext(ctx); err != nil {
		return err
	}
	return (&tool.Error{Code: tool.CodeTimeout, Message: "the granted directories could not be opened in time"}).WithCause(opening.Err())
}

func isHostMount(m capability.GrantedFS) bool { return m.Mount != capability.ScratchMount }

// unopened is the identity of a directory that could not be opened. It equals no other directory,
// so an approval does not cover a directory that appears at the path later.
type unopened struct{ fs.FileInfo }

func (m *pinnedMount) open() {
	now, err := files.Identify(m.Dir)
	if err != nil || m.Is != nil && !os.SameFile(m.Is, now.Info) {
		m.Is = unopened{} // a grant for a different directory must not apply to this directory
		return
	}
	m.Is, m.Real, m.target = now.Info, now.Path, now.ID+" "+now.Path
}

// Directories returns the directories that the mounts of a tool lead to now when a tenant calls it,
// for remembered.Grant.Directories. It leaves out mounts that are not bound or whose directory does
// not open. The error is a *[tool.Error] with the code not_found, timeout if a directory hangs, or
// permission_denied if the Rules have tenants but not this one.
func (p *Pipeline) Directories(ctx context.Context, name, tenant string) ([]remembered.Directory, error) {
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return nil, err
	}
	rules := p.rules.Load()
	options, err := rules.optionsOf(tenant)
	if err != nil {
		return nil, err
	}
	pinned, err := p.pin(ctx, boundMounts(t.Spec.Permissions, options.restrict(rules.GrantableFor(t.Spec.Name))))
	if err != nil {
		return nil, err
	}
	var all []remembered.Directory
	for _, mount := range pinned {
		if mount.target != "" && !slices.ContainsFunc(all, func(d remembered.Directory) bool { return d.Path == mount.Dir }) {
			all = append(all, remembered.Directory{Path: mount.Dir, Leads: mount.target})
		}
	}
	return all, nil
}

// boundMounts returns the mounts that a tool requests and that are bound, with absolute paths.
func boundMounts(requested capability.Permissions, grantable capability.Grantable) []capability.GrantedFS {
	var mounts []capability.GrantedFS
	for _, mount := range requested.WithOthers(grantable).FS {
		bound, ok := grantable.Mounts[mount.Mount]
		if !ok || mount.Mount == capability.ScratchMount {
			continue
		}
		if dir, err := filepath.Abs(bound.Dir); err == nil {
			mounts = append(mounts, capability.GrantedFS{FS: mount, Dir: dir})
		}
	}
	return mounts
}

// sameDirectories reports whether the paths in the grant still lead to the same directories. It
// returns the directories by mount; the code that opens them for the tool compares them again.
func (p *Pipeline) sameDirectories(ctx context.Context, g remembered.Grant, requested capability.Permissions, grantable capability.Grantable) (bool, map[string]fs.FileInfo, error) {
	targets := make(map[string]string)
	for _, d := range g.Directories {
		targets[d.Path] = d.Leads
	}
	mounts := slices.DeleteFunc(boundMounts(requested, grantable), func(m capability.GrantedFS) bool { return targets[m.Dir] == "" })
	pinned, err := p.pin(ctx, mounts)
	if err != nil {
		return false, nil, err
	}
	is := make(map[string]fs.FileInfo)
	for _, mount := range pinned {
		if mount.target != targets[mount.Dir] {
			return false, nil, nil
		}
		is[mount.Mount] = mount.Is
	}
	return true, is, nil
}

package registry

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
)

// Directories returns where the mounts that a tool asks for lead to now, for
// remembered.Grant.Directories. A mount that is not bound, or whose directory does not open, is left
// out. Errors are an *Error: not_found, and timeout where a directory hangs.
func (r *Registry) Directories(ctx context.Context, name string) ([]remembered.Directory, error) {
	e, err := r.tools.Find(name)
	if err != nil {
		return nil, err
	}
	pinned, err := r.pin(ctx, boundMounts(e.Spec.Permissions, r.rules.Load().OfferTo(e.Spec.Name)))
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
func boundMounts(asks capability.Permissions, offer capability.Offer) []capability.GrantedFS {
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
func (r *Registry) stillLeads(ctx context.Context, g remembered.Grant, asks capability.Permissions, offer capability.Offer) (bool, map[string]fs.FileInfo, error) {
	led := make(map[string]string)
	for _, d := range g.Directories {
		led[d.Path] = d.Leads
	}
	mounts := slices.DeleteFunc(boundMounts(asks, offer), func(m capability.GrantedFS) bool { return led[m.Dir] == "" })
	pinned, err := r.pin(ctx, mounts)
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

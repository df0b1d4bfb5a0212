package registry

import (
	"context"
	"io/fs"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// pinMounts holds a call that needs a yes to the directories that its mounts lead to now, so that the
// yes is for these: whatever opens them compares. It notes as bounds all that says what the call
// may reach, for hashes and nothing else.
func (r *Registry) pinMounts(ctx context.Context, x *execution) error {
	mounts, err := r.identifyMounts(ctx, x)
	if err != nil {
		return err
	}
	x.grant.FS = mounts.fs
	x.bounds = slices.Concat(x.words, mounts.bounds)
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

// fixedMounts are the mounts of a call with the directories that they lead to.
type fixedMounts struct {
	fs     []capability.GrantedFS
	bounds []string
}

// identifyMounts opens the directories of a call. That can hang in the host: then the call is
// let go, as where they are opened for the tool.
func (r *Registry) identifyMounts(ctx context.Context, x *execution) (fixedMounts, error) {
	if !slices.ContainsFunc(x.grant.FS, ofTheHost) {
		return fixedMounts{fs: x.grant.FS}, nil
	}
	looking, cancel := context.WithTimeout(ctx, r.opts.LoadTimeout)
	defer cancel()
	done := make(chan fixedMounts, 1)
	mounts := fixedMounts{fs: slices.Clone(x.grant.FS)}
	id := x.call.ID
	go func() { done <- mounts.identify(id) }()
	select {
	case mounts := <-done:
		return mounts, nil
	case <-looking.Done():
	}
	if err := cancelled(ctx); err != nil {
		return fixedMounts{}, err
	}
	return fixedMounts{}, (&tool.Error{Code: tool.CodeTimeout, Message: "the directories of the grant do not open"}).WithCause(looking.Err())
}

func ofTheHost(m capability.GrantedFS) bool { return m.Mount != capability.ScratchMount }

// noDirectory is what a mount has to be whose directory cannot be opened now: none that is there
// later is the one that the yes is for.
type noDirectory struct{ fs.FileInfo }

func (m fixedMounts) identify(callID string) fixedMounts {
	for i := range m.fs {
		mount := &m.fs[i]
		if !ofTheHost(*mount) {
			continue
		}
		now, err := hostfuncs.Identify(mount.Dir)
		if err != nil {
			now = hostfuncs.Identity{Path: callID, Info: noDirectory{}}
		}
		mount.Is = now.Info
		m.bounds = append(m.bounds, "mount "+mount.Mount+" is "+now.ID+" "+now.Path)
	}
	return m
}

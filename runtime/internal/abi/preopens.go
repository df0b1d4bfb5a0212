package abi

import (
	"github.com/tetratelabs/wazero"
	experimentalsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/wasmtool/wasmtool/hostfuncs/files"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
)

// preopen is a directory that the guest finds open at start.
type preopen struct {
	name string // what the guest is told
	path string // where it is in the guest's file system
}

// preopensFor lists the preopens of a call: the root, each mount, and last "." for
// the workspace (see wasiBuilder for why).
func preopensFor(mounts []capability.FS) []preopen {
	list := []preopen{{"/", "/"}}
	workspace := ""
	for _, m := range mounts {
		if m.GuestPath() != "/" {
			list = append(list, preopen{m.GuestPath(), m.GuestPath()})
		}
		if m.Mount == capability.WorkspaceMount {
			workspace = m.GuestPath()
		}
	}
	if workspace != "" {
		list = append(list, preopen{".", workspace})
	}
	return list
}

// workspace is where the guest sees its workspace, or "".
func (g *Guest) workspace() string {
	if last := g.preopens[len(g.preopens)-1]; last.name == "." {
		return last.path
	}
	return ""
}

// mounts shows the files of the call being served to the engine.
func (g *Guest) mounts() wazero.FSConfig {
	mounts := wazero.NewFSConfig()
	// Preopens of one path are one file system, so that files can be renamed between
	// them.
	views := make(map[string]experimentalsys.FS)
	for _, p := range g.preopens {
		if views[p.path] == nil {
			views[p.path] = guestfs.New(g.files, p.path, &g.traces)
		}
		name := p.name
		if name == "." { // the guest never sees it: prestatDirName answers with preopen.name
			name = "/\x00workspace"
		}
		mounts = mounts.(sysfs.FSConfig).WithSysFSMount(views[p.path], name)
	}
	return mounts
}

// files are the files that the guest can reach at this moment, nil for none. A warm-up
// reaches none, so that a snapshot holds nothing of them.
func (g *Guest) files() *files.FS {
	c := g.current.Load()
	if c == nil {
		return nil
	}
	g.Taint("it looks at files while it starts")
	if c.IsWarmUp {
		return nil
	}
	return c.Bindings.Files
}

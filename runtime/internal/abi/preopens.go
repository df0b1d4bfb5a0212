package abi

import (
	"github.com/tetratelabs/wazero"
	experimentalsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/wasmtool/wasmtool/hostfuncs/files"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
)

// preopen is a directory that is open when the guest starts.
type preopen struct {
	name string // name that the guest sees
	path string // path in the guest's file system
}

// DataPath is the guest path of the files of a module.
const DataPath = "/tool"

// preopensFor lists the preopens of a call: the root, its own files if it has any, each
// mount, and last "." for the workspace (wasiBuilder explains why).
func preopensFor(hasData bool, mounts []capability.FS) []preopen {
	list := []preopen{{"/", "/"}}
	if hasData {
		list = append(list, preopen{DataPath, DataPath})
	}
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

// workspace returns the path at which the guest sees its workspace, or "".
func (g *Guest) workspace() string {
	if last := g.preopens[len(g.preopens)-1]; last.name == "." {
		return last.path
	}
	return ""
}

// mounts configures the engine with the files of the call being served.
func (g *Guest) mounts() wazero.FSConfig {
	mounts := wazero.NewFSConfig()
	// Preopens of the same path share a file system, so that files can be renamed between them.
	views := make(map[string]experimentalsys.FS)
	if g.options.Data != nil {
		views[DataPath] = guestfs.NewReadOnly(g.options.Data, DataPath, &g.traces, g.serve)
	}
	for _, p := range g.preopens {
		if views[p.path] == nil {
			views[p.path] = guestfs.New(g.files, p.path, &g.traces)
		}
		name := p.name
		if name == "." { // the guest never sees this name: prestatDirName returns preopen.name
			name = "/\x00workspace"
		}
		mounts = mounts.(sysfs.FSConfig).WithSysFSMount(views[p.path], name)
	}
	return mounts
}

// touchesFiles is why a guest is not saved whose start looked at files of its call.
const touchesFiles = "it accesses files during its start"

// files returns the file system that the guest can access now, or nil. A warm-up has none, so that
// no snapshot contains anything from files.
func (g *Guest) files() *files.FS {
	c := g.current.Load()
	if c == nil {
		return nil
	}
	if c.IsWarmUp {
		g.Taint(touchesFiles)
		return nil
	}
	return c.Bindings.Files
}

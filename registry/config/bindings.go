package config

import (
	"errors"
	"fmt"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

func checkMountName(name string) error {
	if name == capability.ScratchMount {
		return fmt.Errorf("%q is reserved for the scratch directory of each call; choose another name", name)
	}
	return checkPermissionName(capability.KindRead, name)
}

// mountKey returns the format of a mount in [mounts].
func (r *reader) mountKey(name string) stricttoml.Key {
	return r.directoryKey("mounts.NAME", name, false)
}

// workspaceKey returns the format of a mount in [workspaces].
func (r *reader) workspaceKey(name string) stricttoml.Key {
	return r.directoryKey("workspaces.NAME", name, true)
}

// directoryKey returns the format of a mount: a path, or a table with a path and a mode.
func (r *reader) directoryKey(key, name string, workspace bool) stricttoml.Key {
	m := mount{mode: capability.ModeRead, workspace: workspace}
	path := stricttoml.ReadString(r.Checker, &m.dir, r.parsePath)
	store := func(at stricttoml.Place, _ *stricttoml.Node) {
		m.source = r.source(at)
		if other, twice := r.c.mounts[name]; twice {
			r.Errorf(at, "the mount %q is also defined at %s; keep one", name, other.source)
			return
		}
		r.c.mounts[name] = m
	}
	return stricttoml.Key{
		Path: key, Want: stricttoml.WantString,
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			path(at, n)
			store(at, n)
		},
		Fix: `write a path in quotes, or { path = "...", mode = "write" }`,
		Or: &stricttoml.Key{
			Path: key, Want: stricttoml.WantTable, Read: store,
			Members: func() []stricttoml.Key {
				return []stricttoml.Key{
					{Name: "path", Want: stricttoml.WantString, Required: `the directory, such as path = "~/data"`, Read: path},
					stricttoml.Choice(r.Checker, stricttoml.Key{Name: "mode"}, &m.mode, capability.ModeRead, capability.ModeWrite),
				}
			},
		},
	}
}

// maxValue limits the value of a variable, in bytes.
const maxValue = 32 << 10

func checkEnvName(name string) error {
	if name == "PWD" {
		return errors.New("the host sets this variable to the workspace directory; remove the key")
	}
	return checkPermissionName(capability.KindEnv, name)
}

// envKey returns the format of a variable: true, or a string. No error repeats the string, because
// it can be a secret.
func (r *reader) envKey(name string) stricttoml.Key {
	const fix = "write true to pass on the variable, or its value in quotes"
	return stricttoml.Key{
		Want: stricttoml.WantBool, Fix: fix,
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			if n.Text != "true" {
				r.Errorf(at, "false is not allowed; remove the key, or %s", fix)
				return
			}
			r.c.env[name] = variable{pass: true, source: r.source(at)}
		},
		Or: &stricttoml.Key{Want: stricttoml.WantString, Read: func(at stricttoml.Place, n *stricttoml.Node) {
			if len(n.Text) > maxValue {
				r.Errorf(at, "is %d bytes long; the limit is %d", len(n.Text), maxValue)
				return
			}
			r.c.env[name] = variable{value: n.Text, source: r.source(at)}
		}},
	}
}

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/namefold"
)

// Outside finds the directory or regular file at an absolute, cleaned path of the host that a
// person may allow for one call. It returns a mount that has the same path in the guest: the
// directory with everything below it, or one name of the file's directory. For writing, the path
// must name a file, which need not exist if its directory does.
//
// deny are patterns as in capability.FS. Outside refuses a path if a pattern matches any end of it.
// protected are the paths of Options.Protected, which must not be read either.
//
// Outside also refuses what New would not mount, a link to a file, a file with several hard links,
// and setuid and setgid files. It can hang in the host. No error text contains a path.
func Outside(name string, mode capability.Mode, deny, protected []string) (capability.GrantedFS, error) {
	none := capability.GrantedFS{}
	rel, _, err := cleanPath(name)
	switch {
	case runtime.GOOS == "windows":
		return none, errors.New("approving single paths is not supported on Windows")
	case err != nil || name != "/"+rel:
		return none, errors.New("the path is not absolute and clean")
	}
	g := capability.GrantedFS{FS: capability.FS{Mount: name, At: name, Mode: mode, Deny: deny}, Dir: name, Outside: true}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		g.Dir, g.Only = filepath.Split(name)
		g.Dir = filepath.Clean(g.Dir)
		g.At, g.Deny = filepath.ToSlash(g.Dir), nil
	} else if mode != capability.ModeRead {
		return none, errors.New("is a directory, which can only be read")
	}
	var paths hostPaths
	d, err := openHostDir(g.Dir, &paths)
	if err != nil {
		return none, err
	}
	defer d.close()
	g.Dir, g.Real, g.Is = d.resolved, d.resolved, d.info
	denied, err := newDenyList(deny)
	if err != nil {
		return none, err
	}
	if deniesEnd(denied, name) || deniesEnd(denied, filepath.Join(g.Real, g.Only)) {
		return none, errors.New("the path is denied by a pattern of the tool")
	}
	if g.Only == "" {
		return g, d.refuseProtected(protected, &paths)
	}
	if g.OnlyIs, err = d.file(g.Only); err != nil {
		return none, err
	}
	if g.OnlyIs == nil && mode == capability.ModeRead {
		return none, errors.New("does not exist")
	}
	return g, d.refuseProtectedFile(g.Only, g.OnlyIs, protected, &paths)
}

// deniesEnd reports whether a pattern matches any end of an absolute path. A person who approves
// /a/.git/config must not undo the pattern .git/** of a workspace in /a.
func deniesEnd(list denyList, name string) bool {
	names := elements(name)
	for i := range names {
		if list.denies(strings.Join(names[i:], "/")) {
			return true
		}
	}
	return false
}

// file describes a file in d that a person may allow alone. It returns nil if there is none.
func (d *hostDir) file(name string) (fs.FileInfo, error) {
	if strings.HasPrefix(name, TempPrefix) || strings.ContainsAny(name, `/\`) {
		return nil, errors.New("the name of the file is reserved")
	}
	info, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, hostDirError(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file or a directory; name the file that a link leads to")
	case hasOtherNames(info):
		return nil, errors.New("the file has several names, which are hard links")
	case info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return nil, errors.New("is a setuid or setgid file")
	case !sameDevice(info, d.info):
		return nil, errors.New("the file is mounted separately from its directory")
	}
	return info, nil
}

// refuseProtectedFile is refuseProtected for one file in d. A nil info means that the file does not
// exist yet. It must then not have a name that a protected path needs in d.
func (d *hostDir) refuseProtectedFile(base string, info fs.FileInfo, protected []string, paths *hostPaths) error {
	for _, name := range protected {
		near, err := paths.nearest(name)
		if err == nil {
			first := near.parents[0]
			inside := near.exists && contains(d.parents, first)
			same := near.exists && info != nil && os.SameFile(first, info)
			created := !near.exists && info == nil && os.SameFile(first, d.info) && slices.ContainsFunc(elements(name), func(elem string) bool {
				return namefold.Fold(elem) == namefold.Fold(base)
			})
			if !inside && !same && !created {
				continue
			}
		}
		return errors.New("is or lies in a path that no tool may access by approval, which holds the operator's file, secrets, tools, stores or compiled code")
	}
	return nil
}

// openOnly limits a mount to the only name of the grant, which must still be the file that was
// approved.
func (m *mount) openOnly(g capability.GrantedFS, o Options, paths *hostPaths) error {
	if g.Only == "" {
		return nil
	}
	d := hostDir{root: m.root, self: m.self, info: m.info, parents: m.parents}
	now, err := d.file(g.Only)
	switch {
	case err != nil:
		return err
	case (now == nil) != (g.OnlyIs == nil), now != nil && !os.SameFile(now, g.OnlyIs):
		return errors.New("the file is not the one that was approved; call the tool again to approve the current one")
	}
	m.only, m.onlyIs = g.Only, g.OnlyIs
	return d.refuseProtectedFile(g.Only, now, o.Protected, paths)
}

// mayBeOnly reports whether an opened file may be the only file of the mount. A mount for reading
// shows only the file that was approved. In a mount for writing, the call itself may have replaced
// the file.
func (m *mount) mayBeOnly(info fs.FileInfo) bool {
	return m.writable || m.onlyIs != nil && os.SameFile(info, m.onlyIs)
}

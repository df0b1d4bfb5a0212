package config

import (
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// grantKeys returns the keys of [grants], which the table of each tool has as well.
func (r *reader) grantKeys(g *grants) []stricttoml.Key {
	return []stricttoml.Key{
		{Name: "allow", Want: stricttoml.WantStrings, Read: r.readPermissions(&g.allow)},
		{Name: "deny", Want: stricttoml.WantStrings, Read: r.readPermissions(&g.deny)},
	}
}

func (r *reader) readPermissions(list *[]sourcedPermission) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		seen := make(map[capability.Permission]bool)
		r.EachString(at, n, func(at stricttoml.Place, n *stricttoml.Node) {
			p, err := capability.ParsePermission(n.Text)
			switch {
			case err != nil:
				r.Errorf(at, "%s", err)
			case seen[p]:
				r.Errorf(at, "%s is listed twice; keep one", p)
			default:
				seen[p] = true
				*list = append(*list, sourcedPermission{p, r.source(at)})
				r.permissions = append(r.permissions, placedPermission{at, p})
			}
		})
	}
}

// checkPermissionName checks that a permission can have the name.
func checkPermissionName(kind capability.Kind, name string) error {
	_, err := capability.NewPermission(kind, name)
	return err
}

// checkPermissions reports each permission for a mount or secret that the file does not have,
// because it would have no effect.
func (r *reader) checkPermissions() {
	mounts := slices.Sorted(maps.Keys(r.c.mounts))
	mounts = append(mounts, capability.WorkspaceMount, capability.ScratchMount)
	secrets := slices.Sorted(maps.Keys(r.c.secrets))
	for _, p := range r.permissions {
		name := p.permission.Name()
		switch p.permission.Kind() {
		case capability.KindRead, capability.KindWrite:
			if !slices.Contains(mounts, name) {
				r.Errorf(p.at, `there is no mount %q; %s`, name, suggestion(name, mounts, `add `+name+` = "PATH" to [mounts]`))
			}
		case capability.KindSecret:
			if !slices.Contains(secrets, name) {
				r.Errorf(p.at, `there is no secret %q; %s`, name, suggestion(name, secrets, `add [secrets.`+name+`]`))
			}
		}
	}
}

// suggestion returns the end of an error message: "did you mean" with the most similar name. If no
// name is similar, it returns otherwise.
func suggestion(name string, names []string, otherwise string) string {
	if near := suggest.Nearest(name, names); near != "" {
		return `did you mean "` + near + `"?`
	}
	return otherwise
}

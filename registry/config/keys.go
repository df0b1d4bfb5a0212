package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// Bounds of a file.
const (
	// MaxFileBytes limits the size of a file.
	MaxFileBytes = 256 << 10
	// maxItems limits the length of a list.
	maxItems = 256
)

// reader reads one file into a Config.
type reader struct {
	*stricttoml.Checker
	c    *Config
	name string
	// dir is the absolute directory that paths are relative to.
	dir string
	// permissions are the permissions read so far. Whether the mounts and secrets in them exist is
	// checked after the whole file was read.
	permissions []placedPermission
	// users are the tenants by the key and element that name their users.
	users map[[2]string]string
}

// placedPermission is a permission with its place in the file.
type placedPermission struct {
	at         stricttoml.Place
	permission capability.Permission
}

// newConfig returns a Config for a reader to fill.
func newConfig() *Config {
	return &Config{
		mounts: make(map[string]mount), env: make(map[string]variable), secrets: make(map[string]secret),
		tools: make(map[string]toolSettings), revoked: make(map[string]bool),
		servers: make(map[string]Server), tenants: make(map[string]Tenant), tables: make(map[string]string),
		policy: policy.Config{Sources: make(map[string]string)},
	}
}

// read checks the content of a file and fills c.
func read(c *Config, name, dir string, text []byte) error {
	r := &reader{c: c, name: name, dir: dir, users: make(map[[2]string]string)}
	r.Checker = stricttoml.New(name, text, stricttoml.Format{
		Name: "an operator's file", MaxBytes: MaxFileBytes, MaxItems: maxItems,
		Shrink: "use groups and patterns", Keys: formatKeys, OtherNames: otherNames,
	})
	if r.Root() != nil {
		r.Read(r.keys())
		r.checkPermissions()
	}
	c.text, c.name = r.Checker, name
	return r.Err()
}

// formatKeys returns the top level of the format. Its readers must not be called.
func formatKeys() []stricttoml.Key { return (&reader{c: newConfig()}).keys() }

// keys returns the top level of the format.
func (r *reader) keys() []stricttoml.Key {
	return []stricttoml.Key{
		{Name: "tool_directories", Want: stricttoml.WantStrings, Read: r.toolDirectories},
		{Name: "mounts", Path: "mounts", Want: stricttoml.WantMap, Check: checkMountName, Entry: r.mountKey, Read: r.table("mounts")},
		{Name: "workspaces", Path: "workspaces", Want: stricttoml.WantMap, Check: checkMountName, Entry: r.workspaceKey},
		{Name: "env", Path: "env", Want: stricttoml.WantMap, Check: checkEnvName, Entry: r.envKey},
		{Name: "secrets", Path: "secrets", Want: stricttoml.WantMap, Check: checkSecretName, Entry: r.secretKey},
		{Name: "grants", Path: "grants", Want: stricttoml.WantTable, Members: func() []stricttoml.Key { return r.grantKeys(&r.c.grants) }},
		{Name: "limits", Path: "limits", Want: stricttoml.WantTable, Members: r.limitKeys},
		{Name: "policy", Path: "policy", Want: stricttoml.WantTable, Members: r.policyKeys},
		{Name: "shell", Path: "shell", Want: stricttoml.WantTable, Members: r.shellKeys, Read: r.table("shell")},
		{Name: "tools", Path: "tools", Want: stricttoml.WantMap, Check: checkToolName, Entry: r.toolKey},
		{Name: "servers", Path: "servers", Want: stricttoml.WantMap, Check: checkServerName, Entry: r.serverKey},
		r.agentKey(),
		{Name: "tenants", Path: "tenants", Want: stricttoml.WantMap, Check: checkTenantName, Entry: r.tenantKey},
		{Name: "audit", Path: "audit", Want: stricttoml.WantTable, Members: r.auditKeys},
		{Name: "revoked", Path: "revoked", Want: stricttoml.WantTable, Members: r.revokedKeys},
	}
}

// source returns a place as "file:line".
func (r *reader) source(at stricttoml.Place) string {
	line, _ := r.Position(at)
	return r.name + ":" + strconv.Itoa(line)
}

// only returns the one key, out of several alternatives, that a table has. If the table has none of
// them, or more than one, it records an error and returns "".
func (r *reader) only(at stricttoml.Place, n *stricttoml.Node, keys ...string) string {
	given := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return n.Get(key) == nil })
	if len(given) != 1 {
		last := len(keys) - 1
		r.Errorf(at, "write exactly one of %s and %s", strings.Join(keys[:last], ", "), keys[last])
		return ""
	}
	return given[0]
}

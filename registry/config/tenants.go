package config

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// Tenant is an entry of [tenants]. It restricts what the rest of the file offers to all callers, or
// replaces the directories and values that belong to names of the file. It adds nothing.
type Tenant struct {
	// Token is the source of the token that clients of a server send; its Kind is SecretEnv,
	// SecretFile, or "" if the tenant has no token.
	Token SecretSource
	// Mounts are absolute paths, Env values and Secrets sources that replace values of the file, by
	// name. The tenant has no other mounts, variables and secrets. Nil changes nothing.
	Mounts, Env map[string]string
	Secrets     map[string]SecretSource
	// Subjects and Groups name the users of an authorization server who are this tenant. No two
	// tenants have the same subject or group. If the file has neither, and no token, the name of
	// the tenant is the only subject.
	Subjects, Groups []string
	// Rules deny calls or require an approval, in addition to the rules of the file.
	Rules []policy.Rule
	// Deny are denials in addition to the denials of the file, and Lines their positions as
	// "file:line".
	Deny  capability.Deny
	Lines map[capability.Permission]string
	// MaxTimeout limits the timeout of a call; 0 means no further limit.
	MaxTimeout time.Duration
	// Source is the position of the entry as "file:line".
	Source string
}

// Tenants returns the tenants by name. The caller must not change their maps. If there are any,
// calls of other tenants are refused.
func (c *Config) Tenants() map[string]Tenant { return maps.Clone(c.tenants) }

// maxTenant limits the name of a tenant, in bytes, like the subject of an OAuth token.
const maxTenant = 255

func checkTenantName(name string) error {
	if name == "" || len(name) > maxTenant || !plaintext.Plain(name, plaintext.Word) {
		return fmt.Errorf("is not the name of a tenant; write up to %d printable characters", maxTenant)
	}
	return nil
}

func (r *reader) tenantKey(name string) stricttoml.Key {
	user := func(key string, list *[]string) stricttoml.Key {
		return stricttoml.Key{Name: key, Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(r.Checker, list, func(text string) (string, error) {
			if checkTenantName(text) != nil {
				return "", fmt.Errorf("is not a subject or group; write up to %d printable characters", maxTenant)
			}
			return text, r.claim(key, text, name)
		})}
	}
	t := Tenant{Mounts: make(map[string]string), Env: make(map[string]string), Secrets: make(map[string]SecretSource)}
	var deny []sourcedPermission
	return stricttoml.Key{
		Path: "tenants.NAME", Want: stricttoml.WantTable,
		Members: func() []stricttoml.Key {
			return []stricttoml.Key{
				{Name: "token_env", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &t.Token.Env, parseEnvName)},
				{Name: "token_file", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &t.Token.File, r.parsePath)},
				user("subjects", &t.Subjects),
				user("groups", &t.Groups),
				{Name: "mounts", Path: "tenants.NAME.mounts", Want: stricttoml.WantMap, Check: r.isMount, Entry: func(name string) stricttoml.Key {
					return stricttoml.Key{Want: stricttoml.WantString, Read: stricttoml.ReadWith(r.Checker, r.parsePath, func(_ stricttoml.Place, path string) { t.Mounts[name] = path })}
				}},
				{Name: "env", Path: "tenants.NAME.env", Want: stricttoml.WantMap, Check: r.inFile("env"), Entry: func(name string) stricttoml.Key {
					return stricttoml.Key{Want: stricttoml.WantString, Read: stricttoml.ReadWith(r.Checker, parseValue, func(_ stricttoml.Place, value string) { t.Env[name] = value })}
				}},
				{Name: "secrets", Path: "tenants.NAME.secrets", Want: stricttoml.WantMap, Check: r.inFile("secrets"), Entry: func(name string) stricttoml.Key {
					return r.tenantSecretKey(func(s SecretSource) { t.Secrets[name] = s })
				}},
				{Name: "deny", Want: stricttoml.WantStrings, Read: r.readPermissions(&deny)},
				r.rulesKey("tenants.NAME.rules", &t.Rules, policy.Ask, policy.Deny),
				{Name: "timeout", Want: stricttoml.WantString, Unit: stricttoml.SecondsOf, Read: stricttoml.ReadString(r.Checker, &t.MaxTimeout, parseTimeout)},
			}
		},
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			t.Source, t.Token.Source = r.source(at), r.source(at)
			switch {
			case t.Token.Env != "" && t.Token.File != "":
				r.Errorf(at, "write either token_env or token_file")
			case t.Token.Env != "":
				t.Token.Kind = SecretEnv
			case t.Token.File != "":
				t.Token.Kind = SecretFile
			}
			if t.Token.Kind == "" && n.Get("subjects") == nil && n.Get("groups") == nil {
				t.Subjects = []string{name}
				if err := r.claim("subjects", name, name); err != nil {
					r.Errorf(at, "%s", err)
				}
			}
			for _, d := range deny {
				t.Deny = append(t.Deny, d.permission)
				if t.Lines == nil {
					t.Lines = make(map[capability.Permission]string)
				}
				t.Lines[d.permission] = d.source
			}
			if n.Get("mounts") == nil {
				t.Mounts = nil
			}
			if n.Get("env") == nil {
				t.Env = nil
			}
			if n.Get("secrets") == nil {
				t.Secrets = nil
			}
			r.c.tenants[name] = t
		},
	}
}

// tenantSecretKey returns the format of the source of a tenant's secret.
func (r *reader) tenantSecretKey(take func(SecretSource)) stricttoml.Key {
	var s SecretSource
	return stricttoml.Key{
		Path: "tenants.NAME.secrets.NAME", Want: stricttoml.WantTable,
		Members: func() []stricttoml.Key {
			return []stricttoml.Key{
				{Name: "env", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &s.Env, parseEnvName)},
				{Name: "file", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &s.File, r.parsePath)},
			}
		},
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			s.Source, s.Kind = r.source(at), SecretKind(r.only(at, n, "env", "file"))
			take(s)
		},
	}
}

// inFile returns a check that a table of the file has a name. A tenant can replace only what the
// file has; a misspelt name would have no effect.
func (r *reader) inFile(table string) func(name string) error {
	return func(name string) error {
		if r.Root().Get(table).Get(name) == nil {
			return errors.New("is not in [" + table + "]; a tenant can only replace what the file has for all callers")
		}
		return nil
	}
}

// isMount checks that the file has a mount or workspace that a tenant replaces.
func (r *reader) isMount(name string) error {
	if name == capability.WorkspaceMount || r.Root().Get("workspaces").Get(name) != nil {
		return nil
	}
	return r.inFile("mounts")(name)
}

// claim records that users with a subject or group are a tenant. It returns an error if they are
// another tenant as well.
func (r *reader) claim(key, user, tenant string) error {
	owner, taken := r.users[[2]string{key, user}]
	if taken && owner != tenant {
		return fmt.Errorf("%s also belongs to the tenant %s; a user can be only one tenant", stricttoml.Quote(user), stricttoml.Quote(owner))
	}
	r.users[[2]string{key, user}] = tenant
	return nil
}

func parseValue(text string) (string, error) {
	if len(text) > maxValue {
		return "", fmt.Errorf("is %d bytes long; the limit is %d", len(text), maxValue)
	}
	return text, nil
}

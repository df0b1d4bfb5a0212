package config

import (
	"maps"
	"os"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// Config is the content of an operator's file. It is immutable and safe for concurrent use. The
// zero value is the Config of an empty file.
type Config struct {
	// path is the absolute path of the file; "" if there is no file.
	path string
	// digest is the SHA-256 of the file in hexadecimal; "" if there is no file.
	digest string
	// text is the parsed file, and name its name in errors. text is nil for the zero Config. Only
	// methods of text that record no errors may be called.
	text *stricttoml.Checker
	name string
	// lookup finds the variables of this process; nil means os.LookupEnv.
	lookup func(name string) (string, bool)

	directories []ToolDirectory
	tables      map[string]string // positions of tables, as "file:line"

	mounts   map[string]mount
	env      map[string]variable
	secrets  map[string]secret
	grants   grants
	ceilings Ceilings
	policy   policy.Config
	tools    map[string]toolSettings // by normal name
	servers  map[string]Server
	agent    Agent
	audit    Audit
	shell    shellcommand.Settings
	tenants  map[string]Tenant
	revoked  map[string]bool
}

// mount is an entry of [mounts] or [workspaces].
type mount struct {
	dir    string // absolute
	mode   capability.Mode
	source string
	// workspace means that the entry is in [workspaces].
	workspace bool
}

// variable is an entry of [env].
type variable struct {
	// pass means that the value comes from this process.
	pass   bool
	value  string
	source string
}

// secret is an entry of [secrets].
type secret struct {
	SecretSource
	urls []capability.URLPattern
}

// grants are the allowed and denied permissions of one table.
type grants struct {
	allow, deny []sourcedPermission
}

// sourcedPermission is a permission with its position as "file:line".
type sourcedPermission struct {
	permission capability.Permission
	source     string
}

// toolSettings is an entry of [tools], without the keys that belong to the policy.
type toolSettings struct {
	options  ToolOptions
	grants   grants
	digest   string
	settings map[string]Setting
}

// LookupEnv looks up a variable with the getenv that was passed to [Load] or [Decode]. The zero
// Config uses os.LookupEnv.
func (c *Config) LookupEnv(name string) (string, bool) {
	if c.lookup == nil {
		return os.LookupEnv(name)
	}
	return c.lookup(name)
}

// Digest returns the SHA-256 of the file in hexadecimal, or "" when there is no file. Two Configs
// with the same Digest, read from the same path, are equal.
func (c *Config) Digest() string { return c.digest }

// ToolDirectory is an entry of tool_directories.
type ToolDirectory struct {
	// Path is absolute.
	Path string
	// Name is the path that messages show: the path that the operator wrote, which may be relative
	// to the directory of the file.
	Name string
	// Source is the position of the entry as "file:line".
	Source string
}

// ToolDirectories returns the directories that tools are loaded from, in the order of the file.
func (c *Config) ToolDirectories() []ToolDirectory { return slices.Clone(c.directories) }

// Audit configures the record of all calls. The zero value means no record.
type Audit struct {
	// File is an absolute path; "" means no record. Its directory need not exist.
	File string
	// MaxBytes is the size at which a new file is started, from 64 KiB to 1 TiB.
	MaxBytes int64
	// Keep is the number of earlier files to keep, from 0 to 1000.
	Keep int
}

// Audit returns the section [audit].
func (c *Config) Audit() Audit { return c.audit }

// Digests returns the digests that tools are pinned to, as "sha256:HEX", by the name of the tool in
// lower case. A pinned tool with another digest must not run.
func (c *Config) Digests() map[string]string {
	pins := make(map[string]string)
	for name, t := range c.tools {
		if t.digest != "" {
			pins[name] = t.digest
		}
	}
	return pins
}

// Revoked returns the set of digests that must not run, each as "sha256:HEX".
func (c *Config) Revoked() map[string]bool { return maps.Clone(c.revoked) }

// Protected returns the absolute paths of four kinds of files and directories: the files that
// decide what tools may do, the files with secrets, the files with records of calls, and the
// directories of tools. A directory must not be mounted for writing when it is one of these paths,
// contains one of them, or is inside one of them.
func (c *Config) Protected() []string {
	files := []string{c.path, c.audit.File}
	for _, dir := range c.directories {
		files = append(files, dir.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(c.secrets)) {
		files = append(files, c.secrets[name].File, programFile(c.secrets[name].Command))
	}
	for _, name := range slices.Sorted(maps.Keys(c.servers)) {
		files = append(files, programFile(c.servers[name].Command))
	}
	for _, name := range slices.Sorted(maps.Keys(c.tenants)) {
		files = append(files, c.tenants[name].Token.File)
		for _, s := range c.tenants[name].Secrets {
			files = append(files, s.File)
		}
	}
	return slices.DeleteFunc(files, func(file string) bool { return file == "" })
}

// programFile returns the path of a command's program, or "" when the program is found by its
// name.
func programFile(command []string) string {
	if len(command) > 0 && isPath(command[0]) {
		return command[0]
	}
	return ""
}

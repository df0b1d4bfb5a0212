package config

import (
	"maps"
	"os"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// Config is what an operator's file says. It does not change and is safe for
// concurrent use. The zero value is that of an empty file.
type Config struct {
	// path is the absolute path of the file; "" for none.
	path string
	// digest is the SHA-256 of its text in hexadecimal; "" for no file.
	digest string
	// lookup finds the variables of this process; nil means os.LookupEnv.
	lookup func(name string) (string, bool)

	directories []ToolDirectory
	tables      map[string]string // where tables are, as "file:line"

	mounts   map[string]mount
	env      map[string]variable
	secrets  map[string]secret
	grants   grants
	ceilings Ceilings
	policy   policy.Config
	tools    map[string]toolSettings // by normal name
	servers  map[string]Server
	audit    Audit
	shell    shellcommand.Settings
	revoked  map[string]bool
}

// mount is an entry of [mounts].
type mount struct {
	dir    string // absolute
	mode   capability.Mode
	source string
}

// variable is an entry of [env].
type variable struct {
	// pass takes the value from this process.
	pass   bool
	value  string
	source string
}

// secret is an entry of [secrets].
type secret struct {
	SecretSource
	urls []capability.URLPattern
}

// grants are words that give and take away.
type grants struct {
	allow, deny []sourcedWord
}

// sourcedWord is a word with the "file:line" where it was written.
type sourcedWord struct {
	word   capability.Permission
	source string
}

// toolSettings is an entry of [tools] but for what the policy holds.
type toolSettings struct {
	grants   grants
	digest   string
	settings map[string]Setting
}

// LookupEnv looks up a variable as Load and Decode were told to; the Config of no file has
// those of this process.
func (c *Config) LookupEnv(name string) (string, bool) {
	if c.lookup == nil {
		return os.LookupEnv(name)
	}
	return c.lookup(name)
}

// Digest is the SHA-256 of the file's text in hexadecimal, or "" where there is no file: two
// Configs of one file with the same Digest say the same.
func (c *Config) Digest() string { return c.digest }

// ToolDirectory is an entry of tool_directories.
type ToolDirectory struct {
	// Path is absolute.
	Path string
	// Name is what messages call it: as the operator wrote it, from the file on.
	Name string
	// Source is where that was written, as "file:line".
	Source string
}

// ToolDirectories returns the directories to load tools from, in the order of the file.
func (c *Config) ToolDirectories() []ToolDirectory { return slices.Clone(c.directories) }

// Audit says where a record of all calls is kept. The zero value keeps none.
type Audit struct {
	// File is an absolute path; "" for no record. Its folder need not be there.
	File string
	// MaxBytes is how large the file may become before another is begun: from 64 KiB to
	// 1 TiB.
	MaxBytes int64
	// Keep is how many earlier files are kept, from 0 to 1000.
	Keep int
}

// Audit returns the section [audit].
func (c *Config) Audit() Audit { return c.audit }

// Digests returns the digests to which tools are pinned, as "sha256:HEX" by the name of
// the tool in lower case. A tool with another digest may not run.
func (c *Config) Digests() map[string]string {
	pins := make(map[string]string)
	for name, t := range c.tools {
		if t.digest != "" {
			pins[name] = t.digest
		}
	}
	return pins
}

// Revoked returns the set of digests that may not run, each "sha256:HEX".
func (c *Config) Revoked() map[string]bool { return maps.Clone(c.revoked) }

// Protected returns the absolute paths of files that decide what tools may do, or hold
// secrets or records, and of the directories of tools: no folder that is, holds or lies in
// one of them may be mounted for writing.
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
	return slices.DeleteFunc(files, func(file string) bool { return file == "" })
}

// programFile is the file of a command's program, or "" when it is looked for by its name.
func programFile(command []string) string {
	if len(command) > 0 && isPath(command[0]) {
		return command[0]
	}
	return ""
}

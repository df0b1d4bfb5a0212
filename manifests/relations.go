package manifests

import (
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// relations checks what concerns more than one key, and fills in the defaults
// that depend on other keys.
func (c *checker) relations(m *Manifest) {
	if m.Title == "" {
		m.Title = m.Name
	}
	if m.Name != "" {
		for i, alias := range c.root.get("aliases").elements() {
			if alias.text == m.Name {
				c.fault(c.at("aliases", strconv.Itoa(i)), "%q is the tool's own name; leave it out", m.Name)
			}
		}
	}
	if outside(m.Module.Path) && c.root.get("module").get("sha256") == nil {
		c.fault(c.at("module", "path"), "leaves the manifest's folder; add sha256 with the digest of the module, or put the module beside the manifest")
	}
	c.abi(m)
	m.places = make(map[string]position)
	for _, key := range []string{"module.path", "module.sha256", "module.args", "module.warm", "limits.memory"} {
		line, column := c.doc.position(c.at(strings.Split(key, ".")...).offset)
		m.places[key] = position{line, column}
	}
	c.output(m)
	c.mounts(m)
	c.parameters(m)
}

// abi checks that keys of one form of modules are not given for the other.
func (c *checker) abi(m *Manifest) {
	module := c.root.get("module")
	if m.Module.ABI == ABICommand && module.get("entry") != nil {
		c.fault(c.at("module", "entry"), "a command starts at _start; leave it out, or write abi = \"reactor\"")
	}
	if m.Module.ABI == ABICommand && module.get("warm") != nil {
		c.fault(c.at("module", "warm"), "a command has no warm-up; leave it out, or write abi = \"reactor\"")
	}
	reactor := m.Module.ABI == ABIReactor || (m.Module.ABI == "" && m.Module.Entry != "")
	if reactor && module.get("args") != nil {
		c.fault(c.at("module", "args"), "a reactor has no command line; its input has all arguments")
	}
}

func (c *checker) output(m *Manifest) {
	if c.root.get("result") == nil {
		return
	}
	output := c.root.get("module").get("output")
	if output == nil {
		m.Module.Output = OutputJSON
	} else if output.kind == kindString && output.text == outputText {
		c.fault(c.at("module", "output"), `"text" has nothing that [result] could describe; write "json" or "result", or leave [result] out`)
	}
}

// mounts checks that no mount is asked for twice, that none lies inside another, and
// that scratch space is asked for writing.
func (c *checker) mounts(m *Manifest) {
	for i, later := range m.Permissions.FS {
		if later.Mount == capability.ScratchMount && later.Mode == capability.ModeRead {
			c.fault(c.at("permissions", "fs", strconv.Itoa(i), "mode"), "%q is an empty folder of the call's own, with nothing to read; write %q", later.Mount, modeWrite)
		}
		for _, earlier := range m.Permissions.FS[:i] {
			if later.Mount == "" || earlier.Mount == "" {
				continue // has its own fault
			}
			if later.Mount == earlier.Mount {
				c.fault(c.at("permissions", "fs", strconv.Itoa(i), "mount"), "%q is mounted twice; keep one, with the deny patterns of both", later.Mount)
				break
			}
			if a, b := earlier.GuestPath(), later.GuestPath(); below(a, b) || below(b, a) {
				c.fault(c.at("permissions", "fs", strconv.Itoa(i), "at"), "%s of mount %q and %s of mount %q overlap; give them separate paths", quote(b), later.Mount, quote(a), earlier.Mount)
				break
			}
		}
	}
}

// below reports whether the clean absolute path inner is dir or lies in it.
func below(dir, inner string) bool {
	return inner == dir || strings.HasPrefix(inner, strings.TrimSuffix(dir, "/")+"/")
}

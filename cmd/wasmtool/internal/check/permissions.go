package check

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wildcard"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/runtime"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// uses is what the calls of a tool have used.
type uses struct {
	capability.Usage                 // without requests
	rules            map[string]bool // the permissions that allowed requests
	unanswered       bool            // whether a request got no answer
	succeeded        int             // the calls that succeeded
}

// add adds what a call has used.
func (u *uses) add(o outcome) {
	used := o.Result.Call.Usage
	for _, r := range used.Requests {
		u.rules[r.Rule] = true
	}
	used.Requests = nil
	u.Usage = u.Plus(used)
	u.unanswered = u.unanswered || o.unanswered
	if o.Err == nil {
		u.succeeded++
	}
}

// permissions looks for permissions that no call has used. It leaves out what the host does not
// record, and what the calls could not reach.
func (s *subject) permissions() {
	if s.m.REST != nil || s.uses.succeeded == 0 || s.uses.More {
		return // a request has the permissions that it needs
	}
	unused := func(permission, use, fix string) {
		s.record(Finding{Kind: Permission, Message: "no call " + use + ", but the tool asks for " + permission, Fix: fix + ", or add an example that uses it"})
	}
	asked := s.m.Permissions
	for _, fs := range asked.FS {
		if fs.Mount == capability.ScratchMount {
			continue // its use is not recorded
		}
		switch {
		case fs.Mode == capability.ModeWrite && !below(fs.GuestPath(), s.uses.FilesWritten):
			unused("write:"+fs.Mount, "writes there", "write mode = \"read\" into [[permissions.fs]] or remove it")
		case fs.Mode == capability.ModeRead && !below(fs.GuestPath(), s.uses.FilesRead, s.uses.DirectoriesRead):
			unused("read:"+fs.Mount, "reads a file or directory there", "remove the entry of [[permissions.fs]]")
		}
	}
	switch {
	case asked.KV == capability.ModeWrite && len(s.uses.KeysWritten) == 0:
		unused("kv:write", "writes to the store", "write kv = \"read\" into [permissions] or remove it")
	case asked.KV == capability.ModeRead && len(s.uses.KeysRead) == 0:
		unused("kv:read", "reads a key of the store", "remove permissions.kv")
	}
	for _, pattern := range asked.Tools {
		if !slices.ContainsFunc(s.uses.ToolsCalled, func(name string) bool { return wildcard.Match(pattern, name) }) {
			unused("tools:"+pattern, "calls such a tool", "remove it from permissions.tools")
		}
	}
	s.requests(unused)
	s.imports(unused)
}

// requests looks for destinations and secrets that no request has used. After a request without an
// answer, a tool does not send the requests that would follow.
func (s *subject) requests(unused func(permission, use, fix string)) {
	if s.uses.unanswered && !slices.ContainsFunc(s.m.Examples, func(e manifests.Example) bool { return e.HTTP != nil }) {
		return
	}
	for _, n := range s.m.Permissions.Net {
		// The operator may grant a part of what the tool asks for. Here it is what other tools ask
		// for.
		used := func(rule string) bool {
			return rule != "" && (n.URL.IsAny() || strings.HasPrefix(rule, "net:"+n.URL.String()))
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.uses.rules)), used) {
			unused("net:"+n.URL.String(), "sends such a request", "remove the entry of [[permissions.net]]")
		}
	}
}

// imports looks for permissions whose use the host does not record, in what the program imports. An
// interpreter imports everything.
func (s *subject) imports(unused func(permission, use, fix string)) {
	if s.m.Module.Path == "" || s.m.Script.Path != "" {
		return
	}
	wasm, err := os.ReadFile(filepath.Join(filepath.Dir(s.m.Source), filepath.FromSlash(s.m.Module.Path)))
	if err != nil {
		return // a built-in tool has no file
	}
	info, err := runtime.Inspect(wasm)
	if err != nil {
		return
	}
	imported := func(part string) bool {
		return slices.ContainsFunc(info.Report.Imports, func(i rewrite.Import) bool { return strings.Contains(i.Name, part) })
	}
	if s.m.Permissions.Clock && !imported("clock_time_get") {
		unused("clock", "can read the clock", "remove permissions.clock")
	}
	if s.m.Permissions.Random && !imported("random") {
		unused("random", "can read random numbers", "remove permissions.random")
	}
	for _, name := range s.m.Permissions.Env {
		if !imported("environ_get") {
			unused("env:"+name, "can read variables", "remove it from permissions.env")
		}
	}
}

// below reports whether one of the paths is a directory or is in it.
func below(dir string, lists ...[]string) bool {
	return slices.ContainsFunc(slices.Concat(lists...), func(path string) bool {
		return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	})
}

package manifests

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Script is the script of a tool, which an interpreter runs.
type Script struct {
	// Path is slash-separated and below the manifest's directory. The script sees the files of its
	// directory below /tool; see [ReadData].
	Path string
	// Program is set if the script reads its standard input and writes its standard output.
	// Otherwise it has a function run, which gets the arguments and returns the result.
	Program bool
	// Preload are modules that are imported before the first call, in addition to what the script
	// imports.
	Preload []string
}

// DefaultPythonMemory is the default of limits.memory for a script in Python, in bytes. The
// interpreter needs 40 MiB to start.
const DefaultPythonMemory uint64 = 256 << 20

// languages are the interpreters by the extension of a script, and the extensions of the files that
// a script of the interpreter may import.
var languages = map[string]struct {
	runtime string
	sources []string
}{
	".py": {"python", []string{".py"}},
	".js": {"js", javaScript}, ".mjs": {"js", javaScript}, ".ts": {"js", append(javaScript, ".ts")},
}

var javaScript = []string{".js", ".mjs", ".json"}

func (c *checker) scriptKeys(m *Manifest) []stricttoml.Key {
	return append([]stricttoml.Key{
		{Name: "path", Want: stricttoml.WantString, Required: `the path of the script, such as path = "tool.py"`, Read: stricttoml.ReadString(c.Checker, &m.Script.Path, parseScriptPath)},
		{Name: "program", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&m.Script.Program)},
		{Name: "preload", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &m.Script.Preload, parseScriptModule)},
	}, c.streamKeys(m)...)
}

// parseScriptPath reads the path of a script inside the manifest's directory.
func parseScriptPath(text string) (string, error) {
	clean, err := parseModulePath(text)
	switch {
	case err != nil:
		return "", err
	case outside(clean):
		return "", fmt.Errorf("%s leaves the manifest's directory; put the script next to the manifest", stricttoml.Quote(text))
	case languages[path.Ext(clean)].runtime == "":
		return "", fmt.Errorf("%s is not a script that can run; name a file that ends with .py, .js, .mjs or .ts", stricttoml.Quote(text))
	case Visible(clean):
		return clean, nil
	}
	return "", fmt.Errorf("%s is hidden or in a directory that scripts do not see; rename it", stricttoml.Quote(text))
}

// parseScriptModule reads the name of a module that a script can import.
func parseScriptModule(text string) (string, error) {
	if text == "" || len(text) > maxPath || !plaintext.Plain(text, plaintext.Word) || strings.ContainsAny(text, `,"'\`) {
		return "", fmt.Errorf("%s is not the name of a module", stricttoml.Quote(text))
	}
	return text, nil
}

// script checks the keys of a script, and sets the module that runs it.
func (c *checker) script(m *Manifest) {
	if m.Script.Path == "" {
		return
	}
	table := c.Root().Get("script")
	m.Module.Runtime = languages[path.Ext(m.Script.Path)].runtime
	if !m.Script.Program {
		m.Module.Output = OutputResult
		for _, key := range []string{"args", "stdin", "output"} {
			if table.Get(key) != nil {
				c.Errorf(c.At("script", key), "is only for a script that reads its standard input; leave it out, or write program = true")
			}
		}
	}
	if m.Module.Runtime == "python" && c.Root().Get("limits").Get("memory") == nil {
		m.Limits.Memory = DefaultPythonMemory
	}
	if m.Describe != nil {
		c.Errorf(c.At("describe"), "a script cannot describe itself; remove [describe]")
	}
}

// HasData reports whether the module has files of its own, which it sees below /tool.
func (m *Manifest) HasData() bool { return m.Module.Data != "" || m.Script.Path != "" }

// dataKey is the key that names the data, and dataDir the directory with the data.
func (m *Manifest) dataKey() (key, dataDir string) {
	if m.Script.Path != "" {
		return "script.path", path.Dir(m.Script.Path)
	}
	return "module.data", m.Module.Data
}

// wholeDirectories are the directories next to a script of which it sees every file.
var wholeDirectories = []string{"vendor", "data"}

// Visible reports whether scripts see a file by its path in their directory: no part of it is
// hidden or made by a tool of the language.
func Visible(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if strings.HasPrefix(part, ".") || part == "__pycache__" || part == "node_modules" {
			return false
		}
	}
	return true
}

// seesData reports whether the guest sees a file or directory of its data. A script sees the
// sources of its language next to it and below, and whole directories, but nothing hidden. So a
// file that lies there by chance, such as .env, is never part of the tool.
func (m *Manifest) seesData(name string, isDir bool) bool {
	if m.Script.Path == "" {
		return true
	}
	top, _, _ := strings.Cut(name, "/")
	return Visible(name) && (isDir || top != name && slices.Contains(wholeDirectories, top) ||
		slices.Contains(languages[path.Ext(m.Script.Path)].sources, path.Ext(name)))
}

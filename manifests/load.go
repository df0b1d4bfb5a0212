package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Read reads the manifest at a slash-separated path inside the directory, such as "grep/tool.toml",
// with its parameters_file, and checks that its module exists. It does not open the module. The
// field Parameters of the result is nil only if an MCP server has the schema.
//
// The module may be anywhere inside the directory. A module outside the manifest's own directory,
// even if a link inside leads to it, needs a sha256. Devices, pipes and other special files are
// never read, and opening one does not block.
//
// A non-nil error is an [Errors] with every error of the manifest and its files.
func Read(directory *Directory, manifestPath string) (*Manifest, error) {
	m, _, err := load(directory, manifestPath, checkModule)
	return m, err
}

// Load combines [Read] and [ReadModule]. If the digest of the module differs from sha256, Load
// reports that together with all other errors.
func Load(directory *Directory, manifestPath string) (*Manifest, []byte, error) {
	return load(directory, manifestPath, readModule)
}

// load reads a manifest. It then calls module, which reads or only checks the manifest's module.
func load(directory *Directory, manifestPath string, module func(moduleFiles, Module) ([]byte, *moduleError)) (*Manifest, []byte, error) {
	wholeError := func(message string) error {
		return Errors{{File: manifestPath, Message: message}}
	}
	if !fs.ValidPath(manifestPath) || manifestPath == "." {
		return nil, nil, wholeError("is not a path inside the loaded directory; name its " + FileName)
	}
	data, err := readFile(directory.files, manifestPath, MaxManifestBytes)
	if err == plainfile.ErrMissing { // not wrapped, so no similar file name was found to suggest
		return nil, nil, wholeError(err.Error() + "; a tool is a directory with a " + FileName + " and its module")
	}
	if err != nil {
		return nil, nil, wholeError(err.Error())
	}
	c, m := check(manifestPath, data)
	if m == nil {
		return nil, nil, c.Err()
	}
	f, err := openModuleFiles(directory, manifestPath)
	if err != nil {
		return nil, nil, wholeError("its directory " + err.Error())
	}
	defer f.own.close()
	c.parametersFile(f.own, m)
	c.bodyFiles(f.own, m)
	var wasm []byte
	if name := m.Module.Path; name != "" && (!outside(name) || m.Module.SHA256 != "") {
		var problem *moduleError
		if wasm, problem = module(f, m.Module); problem != nil {
			c.Errorf(c.At("module", problem.key), "%s", problem.message)
		}
	}
	c.checkData(f.own, m)
	if err := c.Err(); err != nil {
		return nil, nil, err
	}
	return m, wasm, nil
}

// parametersFile reads the schema of the parameters from a file in the manifest's directory, if
// the manifest names one.
func (c *checker) parametersFile(own files, m *Manifest) {
	if m.ParametersFile == "" || c.Root().Get("parameters") != nil {
		return
	}
	at := c.At("parameters_file")
	data, err := readFile(own, m.ParametersFile, MaxManifestBytes)
	if errors.Is(err, errEscapes) {
		err = errors.New("is a link that leaves the manifest's directory; put the file itself into that directory")
	}
	if err != nil {
		c.Errorf(at, "%s %s", stricttoml.Quote(m.ParametersFile), err)
		return
	}
	m.Digest = sha256Hex([]byte(m.Digest), data)
	if hidden := jsonschema.CheckTexts(data); hidden != nil {
		c.Errorf(at, "%s: %s; leave it out", stricttoml.Quote(m.ParametersFile), hidden)
		return
	}
	schema, err := jsonschema.CompileParameters(data)
	if err == nil {
		m.Parameters = schema
		c.dependants(m)
		return
	}
	for _, e := range schemaErrors(err) {
		where := stricttoml.Quote(m.ParametersFile)
		if e.Pointer != "" {
			where += " at " + plaintext.Visible(e.Pointer)
		}
		c.Errorf(at, "%s: %s", where, e.Message)
	}
}

// Stamp returns a string that changes when a file of a tool changes, appears or disappears. It is
// made of the sizes, times and modes of the manifest, its parameters_file, its module and the
// module's data, without reading them. m is the result of [Read] or [Load] for the same path.
func Stamp(directory *Directory, manifestPath string, m *Manifest) string {
	var b strings.Builder
	add := func(from files, name string) {
		info, err := from.stat(name)
		if err != nil {
			b.WriteString("-\n")
			return
		}
		fmt.Fprintf(&b, "%d %d %v\n", info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	add(directory.files, manifestPath)
	f, err := openModuleFiles(directory, manifestPath)
	if err != nil {
		return b.String()
	}
	defer f.own.close()
	if m.ParametersFile != "" {
		add(f.own, m.ParametersFile)
	}
	if m.Module.Path != "" {
		if from, name, err := f.find(m.Module); err == nil {
			add(from, name)
		}
	}
	if _, dir := m.dataKey(); dir != "" {
		b.WriteString(m.dataStamp(f.own, dir, ""))
	}
	return b.String()
}

// dataStamp returns the part of a stamp for the files of a module's data in the directory name.
// below is its path in the data, with a slash at the end.
func (m *Manifest) dataStamp(from files, name, below string) string {
	dir, err := from.sub(name)
	if err != nil {
		return "-\n"
	}
	defer dir.close()
	entries, _ := readDir(dir) // an error gives fewer entries, and so another stamp
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var b strings.Builder
	for _, entry := range entries[:min(len(entries), MaxDataFiles)] {
		at := below + entry.Name()
		if !m.seesData(at, entry.IsDir()) {
			continue
		}
		fmt.Fprintf(&b, "%q ", entry.Name())
		if entry.IsDir() {
			b.WriteString(m.dataStamp(dir, entry.Name(), at+"/"))
		} else if info, err := entry.Info(); err == nil {
			fmt.Fprintf(&b, "%d %d %v\n", info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
	}
	return b.String() + "\n"
}

// Current reports whether the manifest and its parameters_file still contain the bytes from which m
// was read.
func Current(directory *Directory, manifestPath string, m *Manifest) bool {
	data, err := readFile(directory.files, manifestPath, MaxManifestBytes)
	if err != nil {
		return false
	}
	digest := sha256Hex(data)
	if m.ParametersFile != "" {
		f, err := openModuleFiles(directory, manifestPath)
		if err != nil {
			return false
		}
		defer f.own.close()
		if data, err = readFile(f.own, m.ParametersFile, MaxManifestBytes); err != nil {
			return false
		}
		digest = sha256Hex([]byte(digest), data)
	}
	return digest == m.Digest
}

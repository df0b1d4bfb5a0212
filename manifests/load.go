package manifests

import (
	"errors"
	"io/fs"

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

// ReadUnbuilt is [Read] for a manifest whose module need not exist yet.
func ReadUnbuilt(directory *Directory, manifestPath string) (*Manifest, error) {
	m, _, err := load(directory, manifestPath, func(moduleFiles, Module) ([]byte, *moduleError) { return nil, nil })
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

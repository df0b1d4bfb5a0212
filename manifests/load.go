package manifests

import (
	"errors"
	"io/fs"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Read reads the manifest at a slash-separated path inside the folder, such as
// "grep/tool.toml", with its parameters_file, and looks whether its module is
// there. The module is not opened. Its Parameters are never nil.
//
// A module may lie anywhere inside the folder, but outside the manifest's own
// folder, also by a link, only with its sha256. No device, pipe or other special
// file is read, and opening one does not block.
//
// A non-nil error is an Errors with every fault of the manifest and its files.
func Read(folder *Directory, manifestPath string) (*Manifest, error) {
	m, _, err := load(folder, manifestPath, checkModule)
	return m, err
}

// Load is Read and ReadModule in one: a module that is not what sha256 says is
// reported together with all other faults.
func Load(folder *Directory, manifestPath string) (*Manifest, []byte, error) {
	return load(folder, manifestPath, readModule)
}

// load reads a manifest, and does with its module what the function says.
func load(folder *Directory, manifestPath string, module func(moduleFiles, Module) ([]byte, *moduleFault)) (*Manifest, []byte, error) {
	wholeFault := func(message string) error {
		return Errors{{File: manifestPath, Message: message}}
	}
	if !fs.ValidPath(manifestPath) || manifestPath == "." {
		return nil, nil, wholeFault("is no path inside the folder that is loaded; name its " + FileName)
	}
	data, err := readFile(folder.files, manifestPath, MaxManifestBytes)
	if err == plainfile.ErrMissing { // without a hint of what was meant
		return nil, nil, wholeFault(err.Error() + "; a tool is a folder with a " + FileName + " and its module")
	}
	if err != nil {
		return nil, nil, wholeFault(err.Error())
	}
	c, m := check(manifestPath, data)
	if m == nil {
		return nil, nil, c.Err()
	}
	f, err := openModuleFiles(folder, manifestPath)
	if err != nil {
		return nil, nil, wholeFault("its folder " + err.Error())
	}
	defer f.own.close()
	c.parametersFile(f.own, m)
	var wasm []byte
	if name := m.Module.Path; name != "" && (!outside(name) || m.Module.SHA256 != "") {
		var fault *moduleFault
		if wasm, fault = module(f, m.Module); fault != nil {
			c.Errorf(c.At("module", fault.key), "%s", fault.message)
		}
	}
	if err := c.Err(); err != nil {
		return nil, nil, err
	}
	return m, wasm, nil
}

// parametersFile reads the schema of the parameters, if it has a file of its own
// in the manifest's folder.
func (c *checker) parametersFile(own files, m *Manifest) {
	if m.ParametersFile == "" || c.Root().Get("parameters") != nil {
		return
	}
	at := c.At("parameters_file")
	data, err := readFile(own, m.ParametersFile, MaxManifestBytes)
	if errors.Is(err, errEscapes) {
		err = errors.New("is a link that leaves the manifest's folder; put the file itself there")
	}
	if err != nil {
		c.Errorf(at, "%s %s", stricttoml.Quote(m.ParametersFile), err)
		return
	}
	m.Digest = sha256Hex([]byte(m.Digest), data)
	if fault := jsonschema.CheckTexts(data); fault != nil {
		c.Errorf(at, "%s: %s; leave it out", stricttoml.Quote(m.ParametersFile), fault)
		return
	}
	schema, err := jsonschema.CompileParameters(data)
	if err == nil {
		m.Parameters = schema
		c.dependants(m)
		return
	}
	for _, fault := range schemaFaults(err) {
		where := stricttoml.Quote(m.ParametersFile)
		if fault.Pointer != "" {
			where += " at " + plaintext.Visible(fault.Pointer)
		}
		c.Errorf(at, "%s: %s", where, fault.Message)
	}
}

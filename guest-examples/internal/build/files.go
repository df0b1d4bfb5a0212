package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Paths, relative to the directory guest-examples.
const (
	toolsDir   = "tools"
	artefacts  = "../registry/builtins/artefacts"
	recordName = "BUILD.txt"
)

// file is a file that a build creates.
type file struct {
	path    string // relative to guest-examples
	content []byte
}

// digestLine is the line of a manifest with the digest of its module. moduleLine is the line with
// the path of the module.
var (
	digestLine = regexp.MustCompile(`(?m)^sha256 = "[0-9a-f]{64}"$`)
	moduleLine = regexp.MustCompile(`(?m)^path = "\.\./([a-z]+)\.wasm"$`)
)

// files returns all files of the build, given the manifests in the source tree at root.
func (o output) files(root string) ([]file, error) {
	var files []file
	for _, module := range modules {
		packed, err := pack(o.wasm[module])
		if err != nil {
			return nil, err
		}
		files = append(files,
			file{toolsDir + "/" + module + ".wasm", o.wasm[module]},
			file{artefacts + "/" + module + ".wasm.gz", packed})
	}
	manifests, err := builtinManifests(root)
	if err != nil {
		return nil, err
	}
	for _, tool := range slices.Sorted(maps.Keys(manifests)) {
		content, err := o.stamp(manifests[tool])
		if err != nil {
			return nil, fmt.Errorf("%s/%s/tool.toml: %w", toolsDir, tool, err)
		}
		files = append(files,
			file{toolsDir + "/" + tool + "/tool.toml", content},
			file{artefacts + "/" + tool + "/tool.toml", content})
	}
	return append(files, file{artefacts + "/" + recordName, o.record()}), nil
}

// builtinManifests returns the manifests of the built-in tools in the source tree at root, by
// directory name.
func builtinManifests(root string) (map[string][]byte, error) {
	names, err := filepath.Glob(filepath.Join(root, toolsDir, "*", "tool.toml"))
	if err != nil {
		return nil, err
	}
	manifests := map[string][]byte{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		manifests[filepath.Base(filepath.Dir(name))] = content
	}
	return manifests, nil
}

// stamp sets the digest of the module in the manifest.
func (o output) stamp(manifest []byte) ([]byte, error) {
	module := moduleLine.FindSubmatch(manifest)
	if module == nil || o.wasm[string(module[1])] == nil {
		return nil, fmt.Errorf(`[module] needs a line like path = "../NAME.wasm", where NAME is one of: %s`, strings.Join(modules, ", "))
	}
	if len(digestLine.FindAll(manifest, 2)) != 1 {
		return nil, errors.New(`[module] needs one line sha256 = "..." with 64 hexadecimal digits; any value works, the build replaces it`)
	}
	digest := fmt.Sprintf("sha256 = %q", o.digest(string(module[1])))
	return digestLine.ReplaceAllLiteral(manifest, []byte(digest)), nil
}

// record lists the version of Go and the digests of the modules.
func (o output) record() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "built with %s\n", o.goVersion)
	for _, module := range modules {
		fmt.Fprintf(&b, "%s  %s.wasm\n", o.digest(module), module)
	}
	return b.Bytes()
}

// pack compresses a module. The header has neither a name nor a time, so that the result depends
// only on the content.
func pack(wasm []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(wasm); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

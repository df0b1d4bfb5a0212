package manifests

import (
	"fmt"
	"strings"
)

// Stamp returns a string that changes when a file of a tool changes, appears or disappears. It is
// made of the sizes, times and modes of the manifest, its parameters_file and its module, without
// reading them. m is the result of [Read] or [Load] for the same path.
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
	return b.String()
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

package manifests

import (
	"fmt"
	"strings"
)

// Stamp tells the files of a tool from what they become when somebody writes to them: it is
// equal as long as the manifest, its parameters_file and its module have the size and the
// time that they have now. Nothing is read. m is what Read or Load returned for the same
// path. A file that is not there has a stamp, too.
func Stamp(folder *Directory, manifestPath string, m *Manifest) string {
	var b strings.Builder
	add := func(from files, name string) {
		info, err := from.stat(name)
		if err != nil {
			b.WriteString("-\n")
			return
		}
		fmt.Fprintf(&b, "%d %d %v\n", info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	add(folder.files, manifestPath)
	f, err := openModuleFiles(folder, manifestPath)
	if err != nil {
		return b.String()
	}
	defer f.own.close()
	if m.ParametersFile != "" {
		add(f.own, m.ParametersFile)
	}
	if m.Module.Path != "" {
		if from, name, fault := f.find(m.Module); fault == nil {
			add(from, name)
		}
	}
	return b.String()
}

// Current reports whether the manifest and its parameters_file still have the bytes that m
// was read from.
func Current(folder *Directory, manifestPath string, m *Manifest) bool {
	data, err := readFile(folder.files, manifestPath, MaxManifestBytes)
	if err != nil {
		return false
	}
	digest := sha256Hex(data)
	if m.ParametersFile != "" {
		f, err := openModuleFiles(folder, manifestPath)
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

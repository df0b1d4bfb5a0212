package manifests

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

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

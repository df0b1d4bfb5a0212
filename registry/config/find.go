package config

import (
	"path/filepath"
	"runtime"
)

// FileName is the usual name of an operator's file.
const FileName = "wasmtool.toml"

// PathVariable is the variable that names the operator's file.
const PathVariable = "WASMTOOL_CONFIG"

// File says where an operator's file is. The zero value is no file.
type File struct {
	// Path is where it is; empty means that there is none.
	Path string
	// Name is what errors call it: the path as the operator wrote it.
	Name string
	// Named tells that the operator named the file, so that it has to be there.
	Named bool
}

// Find returns the operator's file: the explicit one of a flag, or that of the variable
// WASMTOOL_CONFIG, both relative to the folder cwd, or else wasmtool/wasmtool.toml in the
// user's configuration folder. It does not look whether the file is there. A
// wasmtool.toml in cwd is not taken unless it is named: an agent may have written it.
// getenv looks up variables of this process.
func Find(cwd, explicit string, getenv func(name string) (string, bool)) File {
	if explicit == "" {
		explicit, _ = getenv(PathVariable)
	}
	if explicit != "" {
		path := explicit
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		return File{Path: path, Name: filepath.ToSlash(explicit), Named: true}
	}
	folder, name := userFolder(getenv)
	if folder == "" {
		return File{}
	}
	return File{Path: filepath.Join(folder, "wasmtool", FileName), Name: name + "/wasmtool/" + FileName}
}

// userFolder returns the user's configuration folder, with a name for it that does not
// tell where it is; both are empty when it is not known.
func userFolder(getenv func(name string) (string, bool)) (folder, name string) {
	switch home := homeFolder(getenv); {
	case runtime.GOOS == "windows":
		if folder, _ = getenv("AppData"); filepath.IsAbs(folder) {
			return folder, "%AppData%"
		}
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		if home != "" {
			return filepath.Join(home, "Library", "Application Support"), "~/Library/Application Support"
		}
	default:
		if folder, _ = getenv("XDG_CONFIG_HOME"); filepath.IsAbs(folder) {
			return folder, "$XDG_CONFIG_HOME"
		}
		if home != "" {
			return filepath.Join(home, ".config"), "~/.config"
		}
	}
	return "", ""
}

// Package builtins embeds the built-in tools: their manifests, and the compressed modules that the
// manifests name. guest-examples/internal/build creates the files in the directory artefacts. Their
// sources are in the directories tools, modules and shell of guest-examples. Do not edit the
// created files by hand.
package builtins

import (
	"embed"
	"io/fs"
)

//go:embed artefacts
var artefacts embed.FS

// FS returns the built-in tools as a read-only file system. It has one directory with a tool.toml
// for each tool; the modules are files next to the directories.
//
// A module is decompressed when it is first read, not when it is listed or when its size is
// requested. The file system keeps the decompressed modules. Each call of FS returns a new file
// system, which is safe for concurrent use. The caller owns the slices that ReadFile returns.
func FS() fs.FS {
	return newFS(artefacts, "artefacts")
}

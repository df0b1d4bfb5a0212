// Package builtins holds the built-in tools: their manifests and the modules
// that these name, compressed, as part of the program. The sources are in the
// folders tools, modules and shell of guest-examples; the files in the folder
// artefacts here are made from them by guest-examples/internal/build and are
// not to be changed by hand.
package builtins

import (
	"embed"
	"io/fs"
)

//go:embed artefacts
var artefacts embed.FS

// FS returns the built-in tools as a read-only file system: a folder for each
// tool with its tool.toml, and beside the folders the modules.
//
// A module is decompressed when it is read for the first time, never when it
// is only listed or its size is asked, and is kept as long as the file system.
// Each call of FS returns one with a store of its own. It is safe for
// concurrent use, and what ReadFile returns belongs to the caller.
func FS() fs.FS {
	return newFS(artefacts, "artefacts")
}

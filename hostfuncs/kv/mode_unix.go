//go:build unix

package kv

import "io/fs"

// othersMay reports whether others than the owner may enter a folder.
func othersMay(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

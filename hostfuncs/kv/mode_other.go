//go:build !unix

package kv

import "io/fs"

// othersMay is false where modes say nothing about it.
func othersMay(fs.FileInfo) bool { return false }

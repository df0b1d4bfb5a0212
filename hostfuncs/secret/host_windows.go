package secret

import "io/fs"

const openFlags = 0

// exposed is false, because a file mode on Windows says nothing about its access list.
func exposed(fs.FileMode) bool { return false }

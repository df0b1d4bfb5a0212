//go:build !unix

package plainfile

// NonBlocking has no effect on systems whose directories cannot contain named pipes.
const NonBlocking = 0

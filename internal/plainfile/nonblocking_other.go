//go:build !unix

package plainfile

// NonBlocking is nothing where folders hold no named pipes.
const NonBlocking = 0

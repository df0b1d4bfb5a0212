//go:build !unix

package manifests

// nonBlocking is nothing where folders hold no named pipes.
const nonBlocking = 0

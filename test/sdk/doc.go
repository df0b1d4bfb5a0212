// Package sdk tests that the SDKs of all languages behave the same: programs holds one program in
// each language, which does what its argument says, and testdata/transcript.txt what all must
// answer. The program in Go is guest/internal/protocol.
package sdk

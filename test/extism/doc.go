// Package extism runs Extism plug-ins in package runtime and in Extism's Go SDK, and compares the
// two. It contains only tests, so that no program links the SDK because of it.
package extism

// Package extism compares how package runtime runs Extism plug-ins with Extism's Go SDK. It
// has only tests, so no program links the SDK because of it.
package extism

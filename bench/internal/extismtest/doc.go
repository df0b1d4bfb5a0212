// Package extismtest compares how package runtime runs Extism plug-ins with Extism's Go
// SDK. It has tests alone.
package extismtest

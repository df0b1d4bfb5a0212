// Package examples runs the examples of manifests. Each example is a complete call, through the
// registry, the policy and the sandbox, and is isolated: it has only the files and settings that it
// names.
package examples

// Package examples runs the examples of manifests: each through the whole path of a call,
// registry, policy and sandbox, and with nothing around it but what the example says.
package examples

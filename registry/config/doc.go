// Package config reads the operator's file, wasmtool.toml: the directories, variables, secrets and
// permissions that tools can get, the limits of calls, and the policy.
//
// Reading is strict: a key that is not part of the format is an error. All errors of a file are
// reported together, each with its line and column. Reading runs no program and opens only this
// file. The values of secrets are neither looked up nor stored.
//
// docs/operator.md describes the format for operators.
package config

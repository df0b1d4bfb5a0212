// Package config reads the operator's file, wasmtool.toml: which folders, variables,
// secrets and permissions tools may be given, how much calls may use, and the policy.
//
// Reading is strict: what is not a key of the format is an error, and all faults of a
// file are reported together, each with its line and column. Nothing is run and nothing
// but the file is read; a secret's value is neither looked up nor held.
//
// docs/operator.md describes the format for operators.
package config

// Package tool is the vocabulary of the registry: what a tool is (Spec), what a
// caller asks (Call), what comes back (Result, Error), and what runs it
// (Executor). It is a leaf: executors, registries and servers meet here.
package tool

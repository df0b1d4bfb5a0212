// Package agenttest holds the test of a whole task: what a coding agent does in an
// afternoon, step by step through 'wasmtool serve', as users get the command, on a copy of an
// open-source project. The steps are in testdata, to be read; at the end the tree is compared,
// file by file, with one that the test makes itself. What single tools do is tested beside them.
package agenttest

// Package scripts tests the promises about tools in Python and JavaScript as a whole: a call from a
// saved start equals a call in a new interpreter (TestEqual), no call leaves anything for the next
// one (TestTraces), hostile scripts get nothing that their tool was not granted (TestAttack), and
// the interpreters pass the tests of their languages (TestCPython, TestTest262).
//
// Tests of Python need the archive that registry/runtimes names, in WASMTOOL_PYTHON; 'make scripts'
// fetches it, and runs the long forms of all tests of this package.
package scripts

package manifests

import "github.com/wasmtool/wasmtool/internal/stricttoml"

// Error is one fault of a manifest. File is the manifest as the caller named it, never
// an absolute host path of this package's making. Line and Column are where the fault
// is, from 1; Column counts characters (Unicode code points; a tab is one). Both are 0
// for a fault of the whole file, such as a missing key. Key is the dotted path of the
// key at fault, such as "permissions.fs[0].mode", or "" when no key is. Message says
// what is wrong and how to mend it. Error joins them as "file:line:column: key: message".
type Error = stricttoml.Error

// Errors is every fault of one manifest in the order of the file, those of the
// whole file first. It is never empty where it is returned as an error; errors.As
// finds an *Error in it.
type Errors = stricttoml.Errors

package config

import "github.com/wasmtool/wasmtool/internal/stricttoml"

// Error is one fault of an operator's file. File is its Name; Line and Column, from 1,
// are where the fault is, both 0 for a fault of the whole file; Key is the dotted path
// of the key at fault, or ""; Message says what is wrong and how to mend it. Error joins
// them as "file:line:column: key: message".
type Error = stricttoml.Error

// Errors is every fault of one file in the order of the file, those of the whole file
// first. It is never empty where it is returned as an error; errors.As finds an *Error
// in it.
type Errors = stricttoml.Errors

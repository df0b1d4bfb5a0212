// Package jsontree parses JSON strictly into values that keep their literals and the order of
// their fields.
//
// Strictly means: UTF-8 only, no field given twice, nothing after the value, no halves of
// surrogate pairs, bounded in size, depth, values and length of a number. [Parse] gives an error
// with line and column for anything else.
package jsontree

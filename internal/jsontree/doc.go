// Package jsontree parses JSON strictly into values that keep their literals and the order of
// their fields.
//
// A document must be UTF-8, and must not contain duplicate field names, lone surrogates or anything
// after the value. Its size, its depth, the number of its values and the length of its numbers are
// limited. The errors of [Parse] have line and column.
package jsontree

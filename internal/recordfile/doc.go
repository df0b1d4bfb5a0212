// Package recordfile keeps what the operator decided in a small file of JSON lines that
// is the operator's alone: nobody else can read or write it, it is replaced as a whole,
// and one line that is not understood spoils all, since what it was cannot be known.
package recordfile

// Package questiontext writes the arguments of a call for the person who is asked about it:
// value by value, each shortened on its own, so that no value hides another, and all of it
// bounded. What is cut is named. Whatever stands in the arguments, each stays on lines of its
// own that begin with spaces and fit a terminal of 80 columns, so that none can pass for a line
// of the host's.
package questiontext

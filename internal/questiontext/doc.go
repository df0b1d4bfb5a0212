// Package questiontext formats the arguments of a call for the person who must approve it. Each
// value is shortened on its own, so that no value hides another, and the total length is limited.
// Values that are cut are named.
//
// Each value, regardless of its content, stays on lines of its own. These lines begin with spaces
// and fit a terminal of 80 columns, so that no value can be mistaken for a line of the host.
package questiontext

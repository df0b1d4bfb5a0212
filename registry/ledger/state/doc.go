// Package state holds where calls stand: pending, awaiting_confirmation, running,
// completed or error. A call moves on only along the arrows that there are, tells of itself
// while it is on its way, and never changes again after its end.
package state

package capability

// Reading returns what is left of the permissions for a call that must change nothing and
// tell nobody anything: mounts are for reading, but for ScratchMount, which is gone with
// the call, and so is the store; there are no requests, and with them no secrets. Variables,
// clock and randomness stay. The result shares no memory with p.
func (p Permissions) Reading() Permissions {
	reading := p.Clone()
	reading.Net = nil
	reading.KV = min(p.KV, ModeRead)
	for i := range reading.FS {
		if fs := &reading.FS[i]; fs.Mount != ScratchMount {
			fs.Mode = min(fs.Mode, ModeRead)
		}
	}
	return reading
}

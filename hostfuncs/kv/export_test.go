package kv

// OpenBolt is like [NewBolt], but opens the directory at once. The error is an [*Error] of kind
// Unavailable.
func OpenBolt(dir string, o Options) (*Bolt, error) {
	b := NewBolt(dir, o)
	if err := b.begin(); err != nil {
		return nil, err
	}
	b.running.Done()
	return b, nil
}

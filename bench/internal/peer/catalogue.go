package peer

// Guests returns the languages in which the job exists for WASM.
func Guests() []string { return []string{"go", "c", "rust", "as"} }

// For returns the peers to compare for a guest. The caller must call Prepare on each of them. The
// peers include a native program in C, which starts fastest, and for the Go guest also a native
// program in Go.
func For(guest string, s Setup) []Peer {
	var peers []Peer
	add := func(form, system string, construct func(common) Peer) {
		peers = append(peers, construct(common{name: Name{guest, form, system}, setup: s}))
	}
	for _, form := range []string{Reactor, Command} {
		add(form, Wasmtool, newWasmtool)
		add(form, Registry, newRegistry)
		add(form, Fresh, newWazeroFresh)
		add(form, FreshClose, newWazeroFresh)
		add(form, Wasmtime, newWasmtime)
		add(form, WazyFresh, newWazyFresh)
		add(form, Node, newNode)
	}
	add(Reactor, WasmtoolWarm, newWasmtool)
	add(Reactor, Reuse, newWazeroReuse)
	add(Reactor, WazyReused, newWazyReused)
	if guest == "go" || guest == "c" {
		add(Extism, ExtismFresh, newExtism)
		add(Extism, ExtismReused, newExtism)
	}
	natives := []string{"c"}
	if guest == "go" {
		natives = append(natives, guest)
	}
	for _, guest = range natives {
		add(Native, Exec, newProcess)
		add(Native, Bubblewrap, newProcess)
	}
	return peers
}

// Find returns the peer with the name, or nil.
func Find(n Name, s Setup) Peer {
	for _, p := range For(n.Guest, s) {
		if p.Name() == n {
			return p
		}
	}
	return nil
}

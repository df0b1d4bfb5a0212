// Package hostfuncs holds what a guest may reach in one call, as plain Go: Bindings
// join its files, its HTTP and its store from the packages below with its clock, its
// randomness and its log. It knows nothing of WASM, tools or manifests; adapters elsewhere
// give these to a guest.
package hostfuncs

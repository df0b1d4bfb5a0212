// Package hostfuncs provides everything that a guest may reach during one call, in plain Go.
// [Bindings] combines the files, HTTP and key-value store of the packages below this one with a
// clock, randomness and a log. The package knows nothing about WASM, tools or manifests; adapters
// elsewhere expose it to guests.
package hostfuncs

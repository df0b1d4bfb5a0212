// Package hostfuncs contains what a guest may reach during one call, in plain Go. [Bindings]
// combines its files, HTTP and key-value store from the packages below this one with its clock,
// randomness and log. The package knows nothing about WASM, tools or manifests; adapters elsewhere
// expose it to guests.
package hostfuncs

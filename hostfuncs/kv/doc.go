// Package kv stores small values of tools between their calls. Each tool of each tenant has its own
// namespace, limited in keys and bytes, which no other tool or tenant can access. [Memory] keeps
// values until the process ends. [Bolt] keeps them on disk, for several processes at once.
package kv

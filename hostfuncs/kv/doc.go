// Package kv keeps small values for tools between their calls: one namespace for each
// tool of each tenant, bounded in number and bytes, that no other can see. Memory keeps
// them for the life of the process; Bolt keeps them on disk, for several processes at
// once.
package kv

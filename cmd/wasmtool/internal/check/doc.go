// Package check looks for mistakes of tools: it calls them with arguments that their schemas allow,
// in the worlds of their examples, and reads what models read about them.
package check

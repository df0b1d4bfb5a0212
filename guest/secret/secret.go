// Package secret reports which secrets of the manifest the operator has. A tool cannot read them:
// the host adds them to requests. On systems other than wasip1 there are no secrets.
package secret

// Exists reports whether the secret is granted to this tool and the operator has it.
func Exists(name string) bool { return exists(name) }

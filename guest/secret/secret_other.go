//go:build !wasip1

package secret

func exists(string) bool { return false }

// Package keyring reads secrets from the keyring of the operating system. It is separate from
// package secret, so that only programs that import it link the client of the keyring.
package keyring

import (
	"errors"

	"github.com/zalando/go-keyring"

	"github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// New returns the password of user for service in the keyring of the operating system. Reading it
// may show the user a dialogue.
func New(service, user string) secret.Source {
	return secret.FromFunc("keyring", func() (string, error) {
		value, err := keyring.Get(service, user)
		return value, reason(err)
	})
}

// reason says what went wrong without the text of err.
func reason(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return errors.New("is not in the keyring; store it there, or correct service and user")
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return errors.New("cannot be read; this system has no keyring; use env, file or command")
	}
	return errors.New("cannot be read; the keyring is locked or its service is not running")
}

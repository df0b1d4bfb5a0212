package secret

import (
	"context"
	"errors"

	"github.com/zalando/go-keyring"
)

type keyringSource struct {
	hidden
	service, user string
	get           func(service, user string) (string, error)
}

// FromKeyring is the password of user for service in the keyring of the operating
// system. Asking may show the user a dialogue; Value waits for it no longer than its
// context, though the keyring itself cannot be interrupted.
func FromKeyring(service, user string) Source {
	return keyringSource{service: service, user: user, get: keyring.Get}
}

func (keyringSource) Kind() string { return "keyring" }

func (s keyringSource) Value(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type answer struct {
		value string
		err   error
	}
	answers := make(chan answer, 1) // nobody may be waiting any more
	go func() {
		value, err := s.get(s.service, s.user)
		answers <- answer{value, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answers:
		switch {
		case errors.Is(a.err, keyring.ErrNotFound):
			return nil, errors.New("is not in the keyring; store it there or correct service and user")
		case errors.Is(a.err, keyring.ErrUnsupportedPlatform):
			return nil, errors.New("cannot be read; this system has no keyring, so use env, file or command")
		case a.err != nil:
			return nil, errors.New("cannot be read; the keyring is locked or its service is not running")
		case len(a.value) > maxSource:
			return nil, errTooLong
		}
		return []byte(a.value), nil
	}
}

package secret

import (
	"context"
	"errors"
)

type envSource struct {
	hidden
	name   string
	lookup func(string) (string, bool)
}

// FromEnv is the environment variable name, looked up with lookup, such as
// os.LookupEnv, which must be safe for concurrent use. The value is taken as it is.
func FromEnv(name string, lookup func(string) (string, bool)) Source {
	return envSource{name: name, lookup: lookup}
}

func (envSource) Kind() string { return "env" }

func (s envSource) Value(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.lookup == nil {
		return nil, errors.New("cannot be read; there is no environment here")
	}
	value, ok := s.lookup(s.name)
	switch {
	case !ok:
		return nil, errors.New("is not set in the environment; export the variable before the start")
	case len(value) > maxSource:
		return nil, errTooLong
	}
	return []byte(value), nil
}

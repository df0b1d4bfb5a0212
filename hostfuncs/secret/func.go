package secret

import "context"

type funcSource struct {
	hidden
	kind string
	read func() (string, error)
}

// FromFunc is what read returns, at most 64 KiB. read cannot be interrupted: Value waits
// for it no longer than its context, and it goes on behind. It must be safe for concurrent
// use, and its errors read on from the secret's name and hold neither a value nor a path.
// kind names the source in errors, such as "keyring".
func FromFunc(kind string, read func() (string, error)) Source {
	return funcSource{kind: kind, read: read}
}

func (s funcSource) Kind() string { return s.kind }

func (s funcSource) Value(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type answer struct {
		value string
		err   error
	}
	answers := make(chan answer, 1) // nobody may be waiting any more
	go func() {
		value, err := s.read()
		answers <- answer{value, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answers:
		switch {
		case a.err != nil:
			return nil, a.err
		case len(a.value) > maxSource:
			return nil, errTooLong
		}
		return []byte(a.value), nil
	}
}

package kv

import "fmt"

// Kind says why a call failed. Act on the kind, never on the text.
type Kind string

// The kinds of failure.
const (
	// NotFound is a key that has no value.
	NotFound Kind = "not_found"
	// BadKey is a key, prefix or namespace that cannot be one: empty, or not UTF-8.
	BadKey Kind = "bad_key"
	// KeyTooLong is a key over MaxKeyBytes, or a name over MaxNameBytes.
	KeyTooLong Kind = "key_too_long"
	// ValueTooLong is a value over Options.MaxValueBytes.
	ValueTooLong Kind = "value_too_long"
	// QuotaKeys is a new key past Options.MaxKeys.
	QuotaKeys Kind = "quota_keys"
	// QuotaBytes is a write past Options.MaxBytes.
	QuotaBytes Kind = "quota_bytes"
	// Unavailable is a store that is closed, or a disk that is full or fails.
	Unavailable Kind = "unavailable"
	// Corrupt is a file that is damaged or not this namespace's. It stays as it is.
	Corrupt Kind = "corrupt"
	// Timeout is a turn that did not come within Options.Wait or before the context
	// ended; in the latter case errors.Is finds the context's error.
	Timeout Kind = "timeout"
)

// Error is the only type of error that a Store returns. Its text holds no key, value or
// host path.
type Error struct {
	Kind Kind
	// Message says what is wrong and, where there is one, the way out.
	Message string

	cause error
}

// Error returns the message.
func (e *Error) Error() string { return "kv: " + e.Message }

// Unwrap returns the error of the context that ended the call, or nil.
func (e *Error) Unwrap() error { return e.cause }

// fail returns an error of a kind.
func fail(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// notFound is the answer to Get where there is nothing.
func notFound() *Error { return fail(NotFound, "the key has no value") }

// closed is the answer to every call after Close.
func closed() *Error { return fail(Unavailable, "the store is closed") }

// ended is the answer to a call whose context ended.
func ended(cause error) *Error {
	return &Error{Kind: Timeout, Message: "the call ended before its turn in the store came", cause: cause}
}

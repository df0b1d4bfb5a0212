//go:build !wasmtime || !cgo

package wasmtimec

// Engine is a compiled module.
type Engine struct{}

// Open fails with ErrAbsent.
func Open([]byte, bool, int) (*Engine, error) { return nil, ErrAbsent }

// Call fails with ErrAbsent.
func (*Engine) Call([]byte) ([]byte, error) { return nil, ErrAbsent }

// Close does nothing.
func (*Engine) Close() {}

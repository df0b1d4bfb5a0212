//go:build !linux

package guestmem

// Supported reports whether this system can save memory.
const Supported = false

// Image is a saved copy of a guest's memory. There are no images on this system.
type Image struct{}

// Size returns 0.
func (*Image) Size() uint64 { return 0 }

// OwnSize returns 0.
func (*Image) OwnSize() uint64 { return 0 }

// Own does nothing.
func (*Image) Own() {}

// Retain does nothing.
func (*Image) Retain() {}

// Release does nothing.
func (*Image) Release() {}

type (
	saved struct {
		image     *Image
		shrinking bool
	}
	scanner struct{}
)

func (*scanner) close() {}

func (*scanner) zero(b []byte) { clear(b) }

// Save fails with ErrUnsupported.
func (*Memory) Save(*Image) (*Image, error) { return nil, ErrUnsupported }

// Adopt returns false.
func (*Memory) Adopt(*Image) (bool, error) { return false, nil }

// Restore fails with ErrUnsupported.
func (*Memory) Restore(func() bool) error { return ErrUnsupported }

// Clear fails with ErrUnsupported.
func (*Memory) Clear(uint64, func() bool) error { return ErrUnsupported }

// Trim does nothing.
func (*Memory) Trim() error { return nil }

// Private returns 0.
func (*Memory) Private() uint64 { return 0 }

func (*Memory) shrink() []byte { return nil }

func (*Memory) forget() {}

func reserve(uint64) []byte { return nil }

func unreserve([]byte) {}

package guestmem

import (
	"bytes"
	"errors"
)

// Supported reports whether this system can save memory.
const Supported = true

// Thresholds between the ways to restore memory, in bytes; see docs/performance.md.
const (
	// copyWhole is the size up to which the whole image is copied, because finding the changed
	// pages would cost more.
	copyWhole = 64 << 10
	// copyBlind replaces copyWhole where the kernel cannot report the changed pages.
	copyBlind = 1 << 20
	// maxKeptPages limits the written pages that a memory keeps at a restore, in bytes. If more
	// were written, all of them are returned to the kernel.
	maxKeptPages = 4 << 20
	// A page that was written once is copied at every restore, until all pages are returned to the
	// kernel, which costs a page fault for each page that is written again. So every restore that
	// is a multiple of sampleEvery looks for pages that did not change. When about trimStale bytes
	// were copied although they had not changed, all are returned.
	sampleEvery = 16
	trimStale   = 4 << 20
)

// saved is the image to which a memory is restored, with the state of the restores.
type saved struct {
	image      *Image
	shrinking  bool   // the engine's next Reallocate shrinks the memory
	target     uint64 // the size to which it shrinks
	restores   int    // since the last trim
	stale      uint64 // an estimate of the copied bytes that had not changed since then
	private    uint64
	wasRefused bool // the field refused, as it was when the memory was saved
}

// errGrown means that the engine could not shrink a memory that grew.
var errGrown = errors.New("the memory cannot shrink")

// Save makes an image of the current memory, to which the memory is restored from now on. The image
// shares pages with base where the memory is equal to it; nil shares none. The caller also becomes
// a holder of the image.
func (m *Memory) Save(base *Image) (*Image, error) {
	if !m.mapped || m.size == 0 {
		return nil, ErrUnsupported
	}
	image, err := newImage(m.space[:m.size], base)
	if err != nil {
		return nil, err
	}
	if err := m.adopt(image); err != nil {
		image.Release()
		return nil, err
	}
	return image, nil
}

// Adopt makes image the state to which the memory is restored, if the memory is equal to image.
// Otherwise Adopt changes nothing and returns false.
func (m *Memory) Adopt(image *Image) (bool, error) {
	if !m.mapped || m.size != image.Size() || !bytes.Equal(m.space[:m.size], image.view) {
		return false, nil
	}
	return true, m.adopt(image)
}

func (m *Memory) adopt(image *Image) error {
	if err := image.mapInto(m.space); err != nil {
		return err
	}
	m.forget()
	image.Retain()
	m.image = image
	m.restores, m.stale, m.private, m.wasRefused = 0, 0, 0, m.refused
	return nil
}

func (m *Memory) forget() {
	if m.image != nil {
		m.image.Release()
		m.image = nil
	}
}

// Restore restores the memory to its image. The function grow must ask the engine to grow the
// memory by a page, and report whether the engine did so: that is how the engine learns of a
// smaller size. After an error the memory cannot be used.
func (m *Memory) Restore(grow func() bool) error {
	m.refused = m.wasRefused
	if err := m.takeBack(m.image.Size(), grow); err != nil {
		return err
	}
	m.restores++
	tail, err := m.clean(m.space[m.size:m.high])
	if err != nil {
		return err
	}
	front, err := m.copyBack()
	m.high = m.size
	m.private = max(m.private, front+tail)
	if err == nil && (m.private > maxKeptPages || m.stale >= trimStale) {
		return m.Trim()
	}
	return err
}

// Clear resets a memory that has no image. The memory then has size bytes, which are all zero. The
// function grow is the same as for Restore. After an error the memory cannot be used.
func (m *Memory) Clear(size uint64, grow func() bool) error {
	m.refused = false
	if err := m.takeBack(size, grow); err != nil {
		return err
	}
	written := m.space[:m.high]
	m.high = m.size
	if !m.mapped || uint64(len(written)) <= copyWhole {
		clear(written)
		return nil
	}
	clear(written[:m.size])
	return drop(written[m.size:])
}

// takeBack makes the engine shrink the memory to size bytes.
func (m *Memory) takeBack(size uint64, grow func() bool) error {
	if m.size <= size {
		return nil
	}
	m.shrinking, m.target = true, size
	ok := grow()
	m.shrinking = false
	if !ok {
		return errGrown
	}
	return nil
}

// shrink makes the memory smaller, and returns its bytes for the engine.
func (m *Memory) shrink() []byte {
	m.account(int64(m.target) - int64(m.size))
	m.size = m.target
	return m.Bytes()
}

// copyBack makes the front of the memory equal to the image. It returns the total size of the pages
// in the front that the memory does not share with the image.
func (m *Memory) copyBack() (uint64, error) {
	front, view := m.space[:m.size], m.image.view
	whole := uint64(copyWhole)
	if !m.system.scanner.works() {
		whole = copyBlind
	}
	switch {
	case m.size <= whole:
		copy(front, view)
		return m.size, nil
	case !m.system.scanner.works():
		return 0, drop(front)
	}
	written, err := m.system.scanner.each(front, func(start, end uint64) { m.undo(front[start:end], view[start:end]) })
	if err != nil {
		return 0, drop(front)
	}
	return written, nil
}

// clean zeroes b, the part of the memory after the end of the image. It returns the number of bytes
// that were written.
func (m *Memory) clean(b []byte) (uint64, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if !m.system.scanner.works() || len(b) > maxKeptPages {
		return 0, drop(b)
	}
	written, err := m.system.scanner.each(b, func(start, end uint64) { m.undo(b[start:end], nil) })
	if err != nil {
		return 0, drop(b)
	}
	return written, nil
}

// undo makes pages equal to the pages of the image, or zero if there are none. It also counts the
// pages that are so already, if the restore is one that looks for them.
func (m *Memory) undo(pages, image []byte) {
	switch {
	case m.restores%sampleEvery != 0 && image == nil:
		clear(pages)
	case m.restores%sampleEvery != 0:
		copy(pages, image)
	default:
		var zero [block]byte
		for at := 0; at < len(pages); at += block {
			page, saved := pages[at:at+block], zero[:]
			if image != nil {
				saved = image[at : at+block]
			}
			if bytes.Equal(page, saved) {
				m.stale += sampleEvery * block
			} else {
				copy(page, saved)
			}
		}
	}
}

// Trim returns all private pages of a restored memory to the kernel. The memory then shows its
// image.
func (m *Memory) Trim() error {
	m.restores, m.stale, m.private = 0, 0, 0
	m.high = m.size
	return drop(m.space)
}

// Private returns the approximate number of bytes that the memory takes in addition to its image.
func (m *Memory) Private() uint64 { return m.private }

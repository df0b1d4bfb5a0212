package guestmem

import (
	"bytes"
	"errors"
)

// Supported says whether memory can be saved on this system.
const Supported = true

// Bounds of the ways to take memory back, in bytes; see docs/performance.md.
const (
	// copyWhole is up to which size an image is copied whole: finding the pages that
	// changed costs more.
	copyWhole = 64 << 10
	// copyBlind is the same where the kernel cannot tell which pages changed.
	copyBlind = 1 << 20
	// maxKeptPages is how much a guest may have written for its pages to stay; beyond
	// they are given back.
	maxKeptPages = 4 << 20
	// trimEvery is after how many restores all pages are given back: a page that was
	// written once is copied at every restore until then.
	trimEvery = 64
)

// saved is what a memory is taken back to, and how.
type saved struct {
	image      *Image
	shrinking  bool   // the engine's next Reallocate takes the size back
	least      uint64 // to this
	restores   int    // since the last trim
	private    uint64
	wasRefused bool // when it was saved
}

// errGrown means that a memory that grew cannot shrink.
var errGrown = errors.New("the memory cannot shrink")

// Save makes an image of the memory as it is and takes the memory back to it from now
// on. The caller is a further holder of the image.
func (m *Memory) Save() (*Image, error) {
	if !m.mapped || m.size == 0 {
		return nil, ErrUnsupported
	}
	image, err := newImage(m.space[:m.size])
	if err != nil {
		return nil, err
	}
	if err := m.adopt(image); err != nil {
		image.Release()
		return nil, err
	}
	return image, nil
}

// Adopt takes the memory back to an image from now on. It reports whether the memory
// is equal to it now, and does nothing when it is not.
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
	m.restores, m.private, m.wasRefused = 0, 0, m.refused
	return nil
}

func (m *Memory) forget() {
	if m.image != nil {
		m.image.Release()
		m.image = nil
	}
}

// Restore takes the memory back to its image. grow must ask the engine to grow the
// memory by a page, which is how the engine is told of a smaller size, and report
// whether it did. After an error the memory is of no use.
func (m *Memory) Restore(grow func() bool) error {
	m.refused = m.wasRefused
	if err := m.takeBack(m.image.Size(), grow); err != nil {
		return err
	}
	m.restores++
	if m.restores >= trimEvery {
		return m.Trim()
	}
	tail, err := m.clean(m.space[m.size:m.high])
	if err != nil {
		return err
	}
	front, err := m.copyBack()
	m.high = m.size
	m.private = max(m.private, front+tail)
	if err == nil && m.private > maxKeptPages {
		return m.Trim()
	}
	return err
}

// Clear takes a memory that was not saved back to size bytes, all of them 0; grow is as in
// Restore. After an error the memory is of no use.
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

// takeBack tells the engine of a smaller size.
func (m *Memory) takeBack(size uint64, grow func() bool) error {
	if m.size <= size {
		return nil
	}
	m.shrinking, m.least = true, size
	ok := grow()
	m.shrinking = false
	if !ok {
		return errGrown
	}
	return nil
}

// shrink is what the engine gets when it is told of a smaller size.
func (m *Memory) shrink() []byte {
	m.account(int64(m.least) - int64(m.size))
	m.size = m.least
	return m.Bytes()
}

// copyBack makes the front equal to the image and returns how many bytes of pages of
// its own the memory has there.
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
	written, err := m.system.scanner.each(front, func(start, end uint64) { copy(front[start:end], view[start:end]) })
	if err != nil {
		return 0, drop(front)
	}
	return written, nil
}

// clean makes b, which lies beyond the image, zero.
func (m *Memory) clean(b []byte) (uint64, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if !m.system.scanner.works() || len(b) > maxKeptPages {
		return 0, drop(b)
	}
	written, err := m.system.scanner.each(b, func(start, end uint64) { clear(b[start:end]) })
	if err != nil {
		return 0, drop(b)
	}
	return written, nil
}

// Trim takes the memory back to its image, which it was restored to already, and gives
// all pages of its own back.
func (m *Memory) Trim() error {
	m.restores, m.private = 0, 0
	m.high = m.size
	return drop(m.space)
}

// Private is about how many bytes the memory takes beyond its image.
func (m *Memory) Private() uint64 { return m.private }

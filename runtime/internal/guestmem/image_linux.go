package guestmem

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Image is a saved copy of a guest's memory. Memories share its pages until they write to them. The
// image is freed when its last holder has released it.
type Image struct {
	fd   int
	view []byte // read-only
	// base, if not nil, is another image that has every byte outside of own. own are the parts of
	// the memory that are in the file of this image, in order; each begins and ends at a block.
	base    *Image
	own     []part
	holders atomic.Int64
}

// Size returns the size of the saved memory in bytes.
func (i *Image) Size() uint64 { return uint64(len(i.view)) }

// OwnSize returns the part of Size that the image does not share with its base, in bytes.
func (i *Image) OwnSize() uint64 {
	if i.base == nil {
		return i.Size()
	}
	return sizeOf(i.own)
}

// Own closes the file of the image. After that, only the memory that made the image can use it.
func (i *Image) Own() { i.closeFile() }

// Retain adds a holder.
func (i *Image) Retain() { i.holders.Add(1) }

// Release removes a holder. The last Release frees the image.
func (i *Image) Release() {
	if i.holders.Add(-1) > 0 {
		return
	}
	_ = unix.Munmap(i.view)
	i.closeFile()
	if i.base != nil {
		i.base.Release()
	}
}

func (i *Image) closeFile() {
	if i.fd >= 0 {
		_ = unix.Close(i.fd)
		i.fd = -1
	}
}

// seals prevent changes to the file behind an image. If the file were truncated, reading a guest's
// memory would crash the process.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE | unix.F_SEAL_SEAL

// newImage copies b into a file in memory. If base is not nil, the image shares the pages of base
// where b is equal to base, if that saves enough. The caller becomes a holder of the image.
func newImage(b []byte, base *Image) (*Image, error) {
	fd, err := unix.MemfdCreate("wasmtool", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("create a file in memory: %w", err)
	}
	i := &Image{fd: fd, own: []part{{0, len(b)}}}
	if base != nil {
		if own := different(b, base.view); own != nil {
			i.base, i.own = base, own
			base.Retain()
		}
	}
	i.holders.Store(1)
	if err := i.fill(b); err != nil {
		i.closeFile()
		if i.base != nil {
			i.base.Release()
		}
		return nil, fmt.Errorf("save guest memory: %w", err)
	}
	return i, nil
}

func (i *Image) fill(b []byte) error {
	if err := unix.Ftruncate(i.fd, int64(len(b))); err != nil {
		return err
	}
	for _, p := range i.own {
		if err := i.writeUsed(b[p.from:p.to], p.from); err != nil {
			return err
		}
	}
	if _, err := unix.FcntlInt(uintptr(i.fd), unix.F_ADD_SEALS, seals); err != nil {
		return err
	}
	// The pages are read-only, because memories are compared with them.
	view := reserve(uint64(len(b)))
	if view == nil {
		return unix.ENOMEM
	}
	if err := i.mapAt(view, unix.PROT_READ); err != nil {
		unreserve(view)
		return err
	}
	i.view = view
	return nil
}

// block is the size in bytes of the pieces in which memory is compared and written.
const block = 4096

// writeUsed writes b at an offset of the file, but only the blocks that are not zero; other blocks
// need no page.
func (i *Image) writeUsed(b []byte, offset int) error {
	var zero [block]byte
	for at := 0; at < len(b); at += block {
		end := at
		for end < len(b) && !bytes.Equal(b[end:end+block], zero[:]) {
			end += block
		}
		for from := at; from < end; {
			n, err := unix.Pwrite(i.fd, b[from:end], int64(offset+from))
			if err != nil {
				return err
			}
			from += n
		}
		at = end
	}
	return nil
}

// mapInto maps the image at the front of space, and replaces the pages there.
func (i *Image) mapInto(space []byte) error { return i.mapAt(space, unix.PROT_READ|unix.PROT_WRITE) }

func (i *Image) mapAt(space []byte, protection int) error {
	if i.base != nil {
		if err := i.base.mapAt(space, protection); err != nil {
			return err
		}
	}
	for _, p := range i.own {
		_, err := unix.MmapPtr(i.fd, int64(p.from), unsafe.Pointer(&space[p.from]), uintptr(p.to-p.from),
			protection, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
		if err != nil {
			return err
		}
	}
	return nil
}

// reserve returns size bytes of address space, or nil on failure. Pages are allocated when they are
// first touched.
func reserve(size uint64) []byte {
	if size == 0 || int(size) < 0 {
		return nil
	}
	space, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	// With huge pages, restoring one written byte would cost two megabytes.
	_ = unix.Madvise(space, unix.MADV_NOHUGEPAGE)
	return space
}

func unreserve(space []byte) { _ = unix.Munmap(space) }

// drop returns the pages of b to the kernel. Pages over an image show the image again; other pages
// are zero.
func drop(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return unix.Madvise(b, unix.MADV_DONTNEED)
}

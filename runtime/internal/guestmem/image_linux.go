package guestmem

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Image is the memory of a guest at one moment. Memories share its pages until they
// write to them. It is freed when all who hold it have released it.
type Image struct {
	fd      int
	view    []byte // read-only
	holders atomic.Int64
}

// Size is the size of the memory that was saved, in bytes.
func (i *Image) Size() uint64 { return uint64(len(i.view)) }

// Own says that no memory will take the image but the one that made it, and gives its
// descriptor back.
func (i *Image) Own() { i.closeFile() }

// Retain adds a holder.
func (i *Image) Retain() { i.holders.Add(1) }

// Release takes a holder away; nobody uses the image after the last one has gone.
func (i *Image) Release() {
	if i.holders.Add(-1) == 0 {
		_ = unix.Munmap(i.view)
		i.closeFile()
	}
}

func (i *Image) closeFile() {
	if i.fd >= 0 {
		_ = unix.Close(i.fd)
		i.fd = -1
	}
}

// seals keep the file behind an image as it is: were it cut, reading a guest's memory
// would be a fault.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE | unix.F_SEAL_SEAL

// newImage copies b into a file in memory. The caller holds the image.
func newImage(b []byte) (*Image, error) {
	fd, err := unix.MemfdCreate("wasmtool", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	i := &Image{fd: fd}
	if err := i.fill(b); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("save guest memory: %w", err)
	}
	i.holders.Store(1)
	return i, nil
}

func (i *Image) fill(b []byte) error {
	if err := unix.Ftruncate(i.fd, int64(len(b))); err != nil {
		return err
	}
	if err := i.writeUsed(b); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(i.fd), unix.F_ADD_SEALS, seals); err != nil {
		return err
	}
	var err error
	i.view, err = unix.Mmap(i.fd, 0, len(b), unix.PROT_READ, unix.MAP_PRIVATE)
	return err
}

// block is the size of the pieces in which memory is compared and written.
const block = 4096

// writeUsed writes the blocks that are not zero; the others need no page.
func (i *Image) writeUsed(b []byte) error {
	var zero [block]byte
	for at := 0; at < len(b); at += block {
		end := at
		for end < len(b) && !bytes.Equal(b[end:end+block], zero[:]) {
			end += block
		}
		for from := at; from < end; {
			n, err := unix.Pwrite(i.fd, b[from:end], int64(from))
			if err != nil {
				return err
			}
			from += n
		}
		at = end
	}
	return nil
}

// mapInto puts the image's pages at the front of space, in place of what is there.
func (i *Image) mapInto(space []byte) error {
	_, err := unix.MmapPtr(i.fd, 0, unsafe.Pointer(&space[0]), uintptr(len(i.view)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err
}

// reserve returns size bytes of address space, of which pages are taken when they are
// touched, or nil when it cannot be had.
func reserve(size uint64) []byte {
	if size == 0 || int(size) < 0 {
		return nil
	}
	space, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	// A huge page would make one written byte cost two megabytes to take back.
	_ = unix.Madvise(space, unix.MADV_NOHUGEPAGE)
	return space
}

func unreserve(space []byte) { _ = unix.Munmap(space) }

// drop gives the pages of b back: those of an image show the image again, others are
// zero.
func drop(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return unix.Madvise(b, unix.MADV_DONTNEED)
}

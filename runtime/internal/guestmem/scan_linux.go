package guestmem

import (
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// scanner finds written pages with the ioctl PAGEMAP_SCAN of /proc/self/pagemap (Linux 6.7 and
// later). The zero value is ready to use.
type scanner struct {
	once   sync.Once
	fd     int
	usable atomic.Bool
	// args pools the argument structs of scans that have ended.
	args sync.Pool
}

// Constants of the kernel's interface, from include/uapi/linux/fs.h.
const (
	pagemapScan = 3<<30 | scanArgBytes<<16 | 'f'<<8 | 16

	pageIsFile    = 1 << 2
	pageIsPresent = 1 << 3
	pageIsSwapped = 1 << 4

	scanArgBytes = 96
)

// scanRegions is the maximum number of runs of pages that one call of the kernel reports.
const scanRegions = 256

// scanArgs is struct pm_scan_arg, followed by the regions to which it points. It is on the heap,
// where it does not move.
type scanArgs struct {
	size, flags, start, end, walkEnd uint64
	vec, vecLen, maxPages            uint64
	inverted, mask, anyOf, returned  uint64
	regions                          [scanRegions]scanRegion
}

// scanRegion is struct page_region.
type scanRegion struct{ start, end, categories uint64 }

var errScan = errors.New("the kernel cannot report which pages were written")

// works reports whether this kernel can report written pages. Its first call tests the kernel.
func (s *scanner) works() bool {
	s.once.Do(func() {
		fd, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return
		}
		s.fd = fd
		if s.try() {
			s.usable.Store(true)
			return
		}
		_ = unix.Close(fd)
	})
	return s.usable.Load()
}

// try writes to pages of a mapping and checks that the kernel reports them.
func (s *scanner) try() bool {
	const pages = 16
	image, err := newImage(make([]byte, pages*block), nil)
	if err != nil {
		return false
	}
	defer image.Release()
	space := reserve(2 * pages * block)
	if space == nil {
		return false
	}
	defer unreserve(space)
	if image.mapInto(space) != nil {
		return false
	}
	touched := space[0] // pages that were only read must not be reported
	for _, page := range []int{3, 4, 9, 20} {
		space[page*block] = touched + 1
	}
	var found []int
	if _, err := s.each(space, func(start, end uint64) {
		for at := start; at < end; at += block {
			found = append(found, int(at/block))
		}
	}); err != nil {
		return false
	}
	return len(found) == 4 && found[0] == 3 && found[1] == 4 && found[2] == 9 && found[3] == 20
}

// each calls visit for every range of b whose pages are not, or are no longer, pages of a file. It
// returns the total size of the ranges. b starts at a page. Swapped-out pages are included.
func (s *scanner) each(b []byte, visit func(start, end uint64)) (uint64, error) {
	a, _ := s.args.Get().(*scanArgs)
	if a == nil {
		a = new(scanArgs)
	}
	defer s.args.Put(a)
	base := uint64(uintptr(unsafe.Pointer(&b[0])))
	end := base + uint64(len(b))
	var total uint64
	for from := base; from < end; from = a.walkEnd {
		a.size, a.flags, a.start, a.end, a.walkEnd = scanArgBytes, 0, from, end, 0
		a.vec, a.vecLen, a.maxPages = uint64(uintptr(unsafe.Pointer(&a.regions))), scanRegions, 0
		a.inverted, a.mask = pageIsFile, pageIsFile
		a.anyOf, a.returned = pageIsPresent|pageIsSwapped, pageIsPresent|pageIsSwapped
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), pagemapScan, uintptr(unsafe.Pointer(a)))
		if errno != 0 || n > scanRegions || a.walkEnd <= from || a.walkEnd > end {
			return total, errScan
		}
		for _, r := range a.regions[:n] {
			if r.start < base || r.end > end || r.start >= r.end {
				return total, errScan
			}
			visit(r.start-base, r.end-base)
			total += r.end - r.start
		}
	}
	return total, nil
}

// zero zeroes b, which starts at a page of address space without an image. Pages that were never
// touched get no memory by it.
func (s *scanner) zero(b []byte) {
	if s.works() {
		if _, err := s.each(b, func(start, end uint64) { clear(b[start:end]) }); err == nil {
			return
		}
	}
	clear(b)
}

// close disables scanning. A scan that is still running fails. The caller of the scan then drops
// the memory's pages.
func (s *scanner) close() {
	s.once.Do(func() {})
	if s.usable.Swap(false) {
		_ = unix.Close(s.fd)
	}
}

package kv

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"io"
)

// structure is a walk over the pages of a file. bbolt trusts the file that it maps into memory. A
// wrong number there may send bbolt outside its map, into endless recursion, or into allocating
// gigabytes. Some of these failures would end the process.
type structure struct {
	file io.ReaderAt
	meta meta
	// taken marks the pages that are in use or on the list of free pages.
	taken []bool
	// held is the usage counted in the data bucket.
	held usage
}

// maxDepth limits how many branch pages lead to a leaf. It is far more than any valid file has.
const maxDepth = 32

// checkStructure returns Corrupt unless bbolt can safely use the file in its current state. It
// returns the usage that it counted.
func checkStructure(file io.ReaderAt, now stamp) (usage, error) {
	first, firstValid := parseMeta(now.heads[0])
	second, secondValid := parseMeta(now.heads[1])
	m := first
	if !firstValid || secondValid && second.txid > first.txid {
		m = second
	}
	if !firstValid && !secondValid || m.pageBytes < headBytes || m.high < 2 ||
		m.high > uint64(now.info.Size()/m.pageBytes) {
		return usage{}, damaged()
	}
	s := &structure{file: file, meta: m, taken: make([]bool, m.high)}
	s.taken[0], s.taken[1] = true, true
	if err := s.freelist(); err != nil {
		return usage{}, err
	}
	if err := s.tree(m.root, s.buckets); err != nil {
		return usage{}, err
	}
	return s.held, nil
}

// page reads a page and marks it as used. It returns Corrupt if the page was used before.
func (s *structure) page(id uint64) (*io.SectionReader, header, error) {
	if id >= s.meta.high {
		return nil, header{}, damaged()
	}
	off := int64(id) * s.meta.pageBytes
	h, err := readHeader(s.file, off)
	if err != nil {
		return nil, header{}, err
	}
	if h.id != id || uint64(h.overflow) >= s.meta.high-id {
		return nil, header{}, damaged()
	}
	for i := id; i <= id+uint64(h.overflow); i++ {
		if err := s.take(i); err != nil {
			return nil, header{}, err
		}
	}
	length := (int64(h.overflow) + 1) * s.meta.pageBytes
	if h.overflow > 0 {
		return io.NewSectionReader(s.file, off, length), h, nil
	}
	// Read a single page at once. Only pages with large values are read piece by piece.
	raw, err := readBytes(s.file, off, length)
	if err != nil {
		return nil, header{}, err
	}
	return inMemory(raw), h, nil
}

// take marks a page, which must not be marked already.
func (s *structure) take(id uint64) error {
	if id >= s.meta.high || s.taken[id] {
		return damaged()
	}
	s.taken[id] = true
	return nil
}

// freelist checks the list of free pages.
func (s *structure) freelist() error {
	page, h, err := s.page(s.meta.freelist)
	if err != nil {
		return err
	}
	if h.kind != freelistPage {
		return damaged()
	}
	count, off := uint64(h.count), int64(pageHeaderBytes)
	if count == countElsewhere {
		raw, err := readBytes(page, off, 8)
		if err != nil {
			return err
		}
		count, off = binary.NativeEndian.Uint64(raw), off+8
	}
	if count > s.meta.high {
		return damaged()
	}
	raw, err := readBytes(page, off, int64(count)*8)
	if err != nil {
		return err
	}
	for ; len(raw) > 0; raw = raw[8:] {
		if err := s.take(binary.NativeEndian.Uint64(raw)); err != nil {
			return err
		}
	}
	return nil
}

// visitor is called with each leaf page of a tree and the entries of that page.
type visitor func(page *io.SectionReader, elements []element) error

// tree checks the tree with the given root page.
func (s *structure) tree(root uint64, visit visitor) error {
	low := ""
	return s.walk(root, 0, &low, visit)
}

// walk checks the subtree of a page. No key in the subtree may be less than *low. Afterwards, walk
// sets *low to a value above all of these keys.
func (s *structure) walk(id uint64, depth int, low *string, visit visitor) error {
	page, h, err := s.page(id)
	if err != nil {
		return err
	}
	if h.kind != leafPage && (h.kind != branchPage || h.count == 0 || depth == maxDepth) {
		return damaged()
	}
	elements, err := readElements(page, h)
	if err != nil {
		return err
	}
	if len(elements) > 0 && string(elements[0].key) < *low {
		return damaged()
	}
	if h.kind == leafPage {
		if n := len(elements); n > 0 {
			*low = string(elements[n-1].key) + "\x00"
		}
		return visit(page, elements)
	}
	for _, e := range elements {
		// bbolt searches by these keys, so the keys of each child must be within its range.
		if string(e.key) < *low {
			return damaged()
		}
		*low = string(e.key)
		if err := s.walk(e.child, depth+1, low, visit); err != nil {
			return err
		}
	}
	return nil
}

// buckets checks a leaf of the file's root tree, whose entries are all buckets. A bucket has its
// own tree, or is one small leaf stored as the value.
func (s *structure) buckets(page *io.SectionReader, elements []element) error {
	for _, e := range elements {
		if !e.bucket || e.valueBytes < bucketHeaderBytes {
			return damaged()
		}
		raw, err := readBytes(page, e.valueAt, e.valueBytes)
		if err != nil {
			return err
		}
		visit := s.count(string(e.key) == dataBucket)
		if root := binary.NativeEndian.Uint64(raw); root != 0 {
			err = s.tree(root, visit)
		} else {
			err = inlineLeaf(inMemory(raw[bucketHeaderBytes:]), visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inlineLeaf checks the leaf of a bucket that has no page of its own.
func inlineLeaf(page *io.SectionReader, visit visitor) error {
	h, err := readHeader(page, 0)
	if err != nil {
		return err
	}
	if h.kind != leafPage {
		return damaged()
	}
	elements, err := readElements(page, h)
	if err != nil {
		return err
	}
	return visit(page, elements)
}

// count returns a visitor for a leaf of a bucket. The visitor refuses nested buckets, and adds the
// entries to the usage if data is true.
func (s *structure) count(data bool) visitor {
	return func(_ *io.SectionReader, elements []element) error {
		for _, e := range elements {
			if e.bucket {
				return damaged()
			}
			if data {
				s.held.keys++
				s.held.bytes += int64(len(e.key)) + e.valueBytes
			}
		}
		return nil
	}
}

// Constants of bbolt's file format, version 2. Numbers are in the byte order of the machine.
const (
	pageHeaderBytes   = 16
	metaBytes         = 64
	elementBytes      = 16
	bucketHeaderBytes = 16

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10

	// bucketElement is the flag of a leaf element that is a bucket.
	bucketElement = 0x01
	// countElsewhere, as the count of a free list, means that the first number in the list is the
	// real count.
	countElsewhere = 0xFFFF

	metaMagic   = 0xED0CDAED
	metaVersion = 2
)

// meta is the part of a meta page that is checked.
type meta struct {
	pageBytes                  int64
	root, freelist, high, txid uint64
}

// parseMeta reads the beginning of a meta page, and reports whether it is valid.
func parseMeta(head [headBytes]byte) (meta, bool) {
	order := binary.NativeEndian
	raw := head[pageHeaderBytes:]
	sum := fnv.New64a()
	sum.Write(raw[:metaBytes-8])
	valid := order.Uint32(raw) == metaMagic && order.Uint32(raw[4:]) == metaVersion && order.Uint64(raw[metaBytes-8:]) == sum.Sum64()
	return meta{
		pageBytes: int64(order.Uint32(raw[8:])),
		root:      order.Uint64(raw[16:]),
		freelist:  order.Uint64(raw[32:]),
		high:      order.Uint64(raw[40:]),
		txid:      order.Uint64(raw[48:]),
	}, valid
}

// header is the beginning of a page.
type header struct {
	id       uint64
	kind     uint16
	count    int
	overflow uint32
}

// readHeader reads the header at an offset.
func readHeader(r io.ReaderAt, off int64) (header, error) {
	raw, err := readBytes(r, off, pageHeaderBytes)
	if err != nil {
		return header{}, err
	}
	order := binary.NativeEndian
	return header{
		id: order.Uint64(raw), kind: order.Uint16(raw[8:]), count: int(order.Uint16(raw[10:])), overflow: order.Uint32(raw[12:]),
	}, nil
}

// element is one entry of a leaf or branch page.
type element struct {
	// bucket reports that a leaf element is a bucket.
	bucket bool
	// child is the page that a branch element refers to.
	child uint64
	key   []byte
	// valueAt and valueBytes locate the value of a leaf element.
	valueAt, valueBytes int64
}

// readElements reads the entries of a leaf or branch page. All entries must lie within the page, in
// the order of their keys. readElements does not read values, which may be large.
func readElements(page *io.SectionReader, h header) ([]element, error) {
	table, err := readBytes(page, pageHeaderBytes, int64(h.count)*elementBytes)
	if err != nil {
		return nil, err
	}
	order := binary.NativeEndian
	elements := make([]element, h.count)
	for i := range elements {
		e := &elements[i]
		raw := table[i*elementBytes:]
		at := int64(pageHeaderBytes + i*elementBytes)
		var keyAt, keyBytes int64
		if h.kind == branchPage {
			keyAt, keyBytes, e.child = at+int64(order.Uint32(raw)), int64(order.Uint32(raw[4:])), order.Uint64(raw[8:])
		} else {
			flags := order.Uint32(raw)
			if flags&^bucketElement != 0 {
				return nil, damaged()
			}
			e.bucket = flags != 0
			keyAt, keyBytes, e.valueBytes = at+int64(order.Uint32(raw[4:])), int64(order.Uint32(raw[8:])), int64(order.Uint32(raw[12:]))
			e.valueAt = keyAt + keyBytes
		}
		first := int64(pageHeaderBytes + len(table))
		if keyAt < first || keyBytes == 0 || keyBytes > MaxKeyBytes || keyAt+keyBytes+e.valueBytes > page.Size() {
			return nil, damaged()
		}
		if e.key, err = readBytes(page, keyAt, keyBytes); err != nil {
			return nil, err
		}
		if i > 0 && string(elements[i-1].key) >= string(e.key) {
			return nil, damaged()
		}
	}
	return elements, nil
}

// readBytes reads n bytes at an offset. It returns Corrupt if there are fewer.
func readBytes(r io.ReaderAt, off, n int64) ([]byte, error) {
	raw := make([]byte, n)
	got, err := r.ReadAt(raw, off)
	switch {
	case int64(got) == n:
		return raw, nil
	case err == io.EOF:
		return nil, damaged()
	default:
		return nil, err
	}
}

// inMemory returns a reader of raw.
func inMemory(raw []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(raw), 0, int64(len(raw)))
}

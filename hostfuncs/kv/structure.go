package kv

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"io"
)

// structure is a walk over the pages of a file. bbolt trusts what it maps into memory: a
// wrong number in it may send bbolt out of its map, round in circles until the stack
// ends, or after gigabytes of memory, and not all of that can be recovered from.
type structure struct {
	file io.ReaderAt
	meta meta
	// taken marks the pages that are in use or free.
	taken []bool
	// held is what the data bucket holds.
	held usage
}

// deepest is how many branch pages may lead to a leaf, far more than any sound file has.
const deepest = 32

// checkStructure returns Corrupt unless bbolt can safely use the file in a state, and
// counts what the file holds.
func checkStructure(file io.ReaderAt, now stamp) (usage, error) {
	first, firstSound := parseMeta(now.heads[0])
	second, secondSound := parseMeta(now.heads[1])
	m := first
	if !firstSound || secondSound && second.txid > first.txid {
		m = second
	}
	if !firstSound && !secondSound || m.pageBytes < headBytes || m.high < 2 ||
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

// page returns a page that no other has led to.
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
	// One page is read at once; only those with large values are read piece by piece.
	raw, err := readBytes(s.file, off, length)
	if err != nil {
		return nil, header{}, err
	}
	return inMemory(raw), h, nil
}

// take marks a page, which must not be marked yet.
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

// visitor is called with each leaf page of a tree and its entries.
type visitor func(page *io.SectionReader, elements []element) error

// tree checks the tree below a page.
func (s *structure) tree(root uint64, visit visitor) error {
	low := ""
	return s.walk(root, 0, &low, visit)
}

// walk checks the part of a tree below a page. No key is less than low, which is then
// raised above all keys that there are.
func (s *structure) walk(id uint64, depth int, low *string, visit visitor) error {
	page, h, err := s.page(id)
	if err != nil {
		return err
	}
	if h.kind != leafPage && (h.kind != branchPage || h.count == 0 || depth == deepest) {
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
		// A search goes by these keys, so each child must keep to its own.
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

// buckets checks a leaf of the file's own tree, which holds buckets alone. Each has a
// tree of its own, or is one small leaf in the place of a value.
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

// count returns what checks a leaf of a bucket, which holds no buckets, and counts its
// entries if they are data.
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

// The format of bbolt's files, version 2: numbers are in the byte order of the machine.
const (
	pageHeaderBytes   = 16
	metaBytes         = 64
	elementBytes      = 16
	bucketHeaderBytes = 16

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10

	// bucketElement is the flag of a leaf's element that is a bucket.
	bucketElement = 0x01
	// countElsewhere is the count of a free list whose first number is its length.
	countElsewhere = 0xFFFF

	metaMagic   = 0xED0CDAED
	metaVersion = 2
)

// meta is what a meta page says.
type meta struct {
	pageBytes                  int64
	root, freelist, high, txid uint64
}

// parseMeta reads the beginning of a meta page, and says whether it is sound.
func parseMeta(head [headBytes]byte) (meta, bool) {
	order := binary.NativeEndian
	raw := head[pageHeaderBytes:]
	sum := fnv.New64a()
	sum.Write(raw[:metaBytes-8])
	sound := order.Uint32(raw) == metaMagic && order.Uint32(raw[4:]) == metaVersion && order.Uint64(raw[metaBytes-8:]) == sum.Sum64()
	return meta{
		pageBytes: int64(order.Uint32(raw[8:])),
		root:      order.Uint64(raw[16:]),
		freelist:  order.Uint64(raw[32:]),
		high:      order.Uint64(raw[40:]),
		txid:      order.Uint64(raw[48:]),
	}, sound
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
	// bucket says that a leaf's element is a bucket.
	bucket bool
	// child is the page that a branch's element leads to.
	child uint64
	key   []byte
	// valueAt and valueBytes are where a leaf's value is.
	valueAt, valueBytes int64
}

// readElements reads the entries of a leaf or branch page, all of which must lie within
// it and be in the order of their keys. It reads no values, which may be large.
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
		least := int64(pageHeaderBytes + len(table))
		if keyAt < least || keyBytes == 0 || keyBytes > MaxKeyBytes || keyAt+keyBytes+e.valueBytes > page.Size() {
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

// readBytes reads n bytes at an offset. It gives Corrupt where there are fewer.
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

// inMemory reads from bytes.
func inMemory(raw []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(raw), 0, int64(len(raw)))
}

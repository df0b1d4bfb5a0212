package kv

import (
	"encoding/binary"
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

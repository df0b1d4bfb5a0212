package kv

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"io"
)

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

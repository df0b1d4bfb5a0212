package kv

import (
	"io"
	"os"
)

// stamp identifies a state of a file. While the stamp stays the same, no process has written to the
// file.
type stamp struct {
	info os.FileInfo
	// heads holds the beginning of both meta pages, with the number of the last transaction and a
	// checksum.
	heads [2][headBytes]byte
}

// headBytes is the length of a page header and the meta record after it.
const headBytes = pageHeaderBytes + metaBytes

// stampOf returns the state of a locked file.
func stampOf(o opened) (stamp, error) {
	info, err := o.file.Stat()
	if err != nil {
		return stamp{}, err
	}
	s := stamp{info: info}
	pageBytes := int64(o.db.Info().PageSize)
	for i := range s.heads {
		if _, err := o.file.ReadAt(s.heads[i][:], int64(i)*pageBytes); err != nil {
			if err == io.EOF {
				return stamp{}, damaged()
			}
			return stamp{}, err
		}
	}
	return s, nil
}

// same reports whether both stamps are set and equal.
func (s stamp) same(t stamp) bool {
	return s.info != nil && t.info != nil && os.SameFile(s.info, t.info) &&
		s.info.Size() == t.info.Size() && s.info.ModTime().Equal(t.info.ModTime()) && s.heads == t.heads
}

// verify returns Corrupt if the structure of the file is invalid. It reads the whole structure only
// if another process has changed the file since this process verified it. In that case it returns
// the usage that it counted.
func (q *queue) verify(o opened) (counted *usage, err error) {
	now, err := stampOf(o)
	if err != nil || now.same(q.verified) {
		return nil, err
	}
	q.verified = stamp{}
	held, err := checkStructure(o.file, now)
	if err != nil {
		return nil, err
	}
	q.verified = now
	return &held, nil
}

// changing forgets the verified state of a file that is about to change. The caller calls settle
// after a successful change. settle marks the new state as verified if the old one was.
func (q *queue) changing(o opened) (settle func()) {
	before, err := stampOf(o)
	verified := err == nil && before.same(q.verified)
	q.verified = stamp{}
	return func() {
		if after, err := stampOf(o); err == nil && verified {
			q.verified = after
		}
	}
}

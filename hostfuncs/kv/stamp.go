package kv

import (
	"io"
	"os"
)

// stamp is the state of a file: while it stays the same, nobody has written to the file.
type stamp struct {
	info os.FileInfo
	// heads holds the beginnings of both meta pages, with the number of the last
	// transaction and a checksum.
	heads [2][headBytes]byte
}

// headBytes is the length of a page's header and the meta record after it.
const headBytes = pageHeaderBytes + metaBytes

// stampOf reads the state of a file that is locked.
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

// same says whether both are known and equal.
func (s stamp) same(t stamp) bool {
	return s.info != nil && t.info != nil && os.SameFile(s.info, t.info) &&
		s.info.Size() == t.info.Size() && s.info.ModTime().Equal(t.info.ModTime()) && s.heads == t.heads
}

// verify returns Corrupt for a file that is not sound. It reads the whole structure of
// one that somebody else has changed since this process last knew it sound, and then
// returns what it counted in it.
func (l *lane) verify(o opened) (counted *usage, err error) {
	now, err := stampOf(o)
	if err != nil || now.same(l.sound) {
		return nil, err
	}
	l.sound = stamp{}
	held, err := checkStructure(o.file, now)
	if err != nil {
		return nil, err
	}
	l.sound = now
	return &held, nil
}

// changing forgets the state of a file that is about to be changed. Call settle when that
// went well: it knows the file sound if it was so until then.
func (l *lane) changing(o opened) (settle func()) {
	before, err := stampOf(o)
	sound := err == nil && before.same(l.sound)
	l.sound = stamp{}
	return func() {
		if after, err := stampOf(o); err == nil && sound {
			l.sound = after
		}
	}
}

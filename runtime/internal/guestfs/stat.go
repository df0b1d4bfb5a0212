package guestfs

import (
	"hash/fnv"
	"io/fs"
	"time"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"
)

// toStat converts a FileInfo. Where the host has no inode number, one is made from
// the guest path: a guest that compares numbers, to see whether it goes in
// circles, must not take all directories for the same.
func toStat(info fs.FileInfo, guestPath string) wazerosys.Stat_t {
	st := wazerosys.NewStat_t(info)
	if st.Ino == 0 {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(guestPath)) // never fails
		st.Ino = hash.Sum64()
	}
	return st
}

// toTime converts nanoseconds since 1970; the zero time leaves a time as it is.
func toTime(ns int64) time.Time {
	if ns == sys.UTIME_OMIT {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// toDirents converts directory entries. An inode number of 0 makes the guest ask
// for it when it wants one.
func toDirents(entries []fs.DirEntry) []sys.Dirent {
	dirents := make([]sys.Dirent, len(entries))
	for i, entry := range entries {
		dirents[i] = sys.Dirent{Name: entry.Name(), Type: entry.Type()}
	}
	return dirents
}

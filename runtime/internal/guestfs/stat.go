package guestfs

import (
	"hash/fnv"
	"io/fs"
	"time"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"
)

// toStat converts a FileInfo. Where the host has no inode number, toStat derives one from the guest
// path. A guest that compares numbers to detect cycles must not see all directories as the same.
func toStat(info fs.FileInfo, guestPath string) wazerosys.Stat_t {
	st := wazerosys.NewStat_t(info)
	if st.Ino == 0 {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(guestPath)) // never fails
		st.Ino = hash.Sum64()
	}
	return st
}

// toTime converts nanoseconds since 1970. UTIME_OMIT gives the zero time, which leaves a time
// unchanged.
func toTime(ns int64) time.Time {
	if ns == sys.UTIME_OMIT {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// toDirents converts directory entries. Their inode number is 0, so that the guest requests the
// number if it needs it.
func toDirents(entries []fs.DirEntry) []sys.Dirent {
	dirents := make([]sys.Dirent, len(entries))
	for i, entry := range entries {
		dirents[i] = sys.Dirent{Name: entry.Name(), Type: entry.Type()}
	}
	return dirents
}

package kv

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"
)

const (
	dirPerm  = 0o700
	filePerm = 0o600
	// othersWrite are the permissions that let another user replace files.
	othersWrite = 0o022

	fileSuffix = ".kv"
	tempPrefix = "new-"
	// tempAge is when a file that was never finished is certainly nobody's any more.
	tempAge = time.Hour
	// leastFileBytes is the size of an empty file with the smallest pages.
	leastFileBytes = 4 * 4096
)

// OpenBolt returns a Store that keeps its files in the directory dir, which it makes with
// its parents, for this user only, where there is none. The error is an *Error of kind
// Unavailable, also where other users may write to dir.
func OpenBolt(dir string, o Options) (*Bolt, error) {
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return nil, fail(Unavailable, "the store's directory cannot be made: check that its parent can be written to")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fail(Unavailable, "the store's directory cannot be opened: check who owns it")
	}
	info, err := root.Stat(".")
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&othersWrite != 0 {
		err = fail(Unavailable, "other users may write to the store's directory: set its mode to 0700")
	}
	if err == nil {
		err = sweep(root)
	}
	if err != nil {
		_ = root.Close()
		return nil, storeError(err)
	}
	return &Bolt{options: o.withDefaults(), root: root, done: make(chan struct{})}, nil
}

// sweep removes what processes that died while they made a file left behind.
func sweep(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), tempPrefix) || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > tempAge {
			_ = root.Remove(entry.Name())
		}
	}
	return nil
}

// fileName is the name of a namespace's file. It is a hash, so it holds no path and does
// not depend on the case or the normal form of letters, of which file systems differ in
// their view. The length of the tenant keeps apart pairs that read the same in a row.
func fileName(ns Namespace) string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(len(ns.Tenant)))
	raw = append(append(raw, ns.Tenant...), ns.Tool...)
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]) + fileSuffix
}

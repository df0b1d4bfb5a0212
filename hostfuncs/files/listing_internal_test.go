package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"
)

// hugeDir is a host directory with the given number of entries.
type hugeDir struct{ entries, pos, asked int }

func (d *hugeDir) Stat() (fs.FileInfo, error) { return syntheticInfo("huge"), nil }
func (d *hugeDir) Close() error               { return nil }

func (d *hugeDir) Seek(int64, int) (int64, error) {
	d.pos = 0
	return 0, nil
}

func (d *hugeDir) ReadDir(n int) ([]fs.DirEntry, error) {
	d.asked = max(d.asked, n)
	n = min(n, d.entries-d.pos)
	if n <= 0 {
		return nil, io.EOF
	}
	entries := make([]fs.DirEntry, n)
	for i := range entries {
		entries[i] = fs.FileInfoToDirEntry(syntheticInfo(fmt.Sprint("f", d.pos+i)))
	}
	d.pos += n
	return entries, nil
}

func openHuge(files *FS, entries int) (*File, *hugeDir) {
	dir := &hugeDir{entries: entries}
	return &File{fs: files, place: place{guest: "/huge"}, dir: dir}, dir
}

func TestOneListingIsBounded(t *testing.T) {
	for _, test := range []struct {
		entries, n, want int
		err              error
	}{
		{maxListing, 0, maxListing, nil},
		{maxListing, -1, maxListing, nil},
		{maxListing, maxListing * 1000, maxListing, nil},
		{maxListing + 1, maxListing, maxListing, nil},
		{maxListing + 1, maxListing + 1, 0, ErrTooLarge},
		{maxListing + 1, 0, 0, ErrTooLarge},
		{1 << 30, 178_000_000, 0, ErrTooLarge},
	} {
		f, dir := openHuge(new(FS), test.entries)
		entries, err := f.ReadDir(test.n)
		if len(entries) != test.want || !errors.Is(err, test.err) {
			t.Errorf("ReadDir(%d) of %d: %d entries, %v", test.n, test.entries, len(entries), err)
		}
		if dir.asked > 1024 || dir.pos > maxListing+1 {
			t.Errorf("ReadDir(%d) of %d asked the host for %d at once and read %d", test.n, test.entries, dir.asked, dir.pos)
		}
		if test.err == nil {
			continue
		}
		// ReadDir has lost an entry, so it must fail and not report the end of the directory.
		if _, err := f.ReadDir(1); !errors.Is(err, ErrTooLarge) {
			t.Errorf("ReadDir after the error: %v", err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if entries, err := f.ReadDir(1); len(entries) != 1 || err != nil {
			t.Errorf("ReadDir after going back: %d, %v", len(entries), err)
		}
	}
}

// TestAllListingsTogetherAreBounded checks the limit on the entries of all open directories
// together. It acts like an engine that keeps all these entries.
func TestAllListingsTogetherAreBounded(t *testing.T) {
	files := new(FS)
	readAll := func(f *File) (n int, err error) {
		for {
			entries, err := f.ReadDir(1000)
			n += len(entries)
			if err != nil || len(entries) < 1000 {
				return n, err
			}
		}
	}
	var open []*File
	for range 4 {
		f, _ := openHuge(files, 60_000)
		open = append(open, f)
		if n, err := readAll(f); n != 60_000 || err != nil {
			t.Fatalf("listed %d: %v", n, err)
		}
	}
	if hit := files.LimitHit(); hit != "" {
		t.Errorf("LimitHit: %q", hit)
	}
	f, _ := openHuge(files, 60_000)
	if n, err := readAll(f); !errors.Is(err, ErrTooLarge) {
		t.Errorf("the fifth listed %d: %v", n, err)
	}
	if hit := files.LimitHit(); hit != "directory entries (262144)" {
		t.Errorf("LimitHit: %q", hit)
	}
	if err := open[0].Close(); err != nil {
		t.Fatal(err)
	}
	for range 10 { // rewinding resets the count
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if n, err := readAll(f); n != 60_000 || err != nil {
			t.Errorf("after a close listed %d: %v", n, err)
		}
	}
}

// TestListingEndsWithTheCall checks that reading a directory with only denied entries stops when
// the call ends.
func TestListingEndsWithTheCall(t *testing.T) {
	files := new(FS)
	f, dir := openHuge(files, 1<<30)
	f.place.mount = &mount{deny: denyList{{folded: "f*"}}}
	f.place.rel = "."
	f.dir = revokingDir{dir, files}
	if _, err := f.ReadDir(1); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if dir.pos > 20_000 {
		t.Errorf("read %d entries", dir.pos)
	}
}

// revokingDir revokes its FS while it is read.
type revokingDir struct {
	*hugeDir
	files *FS
}

func (d revokingDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.pos > 10_000 {
		d.files.Revoke()
	}
	return d.hugeDir.ReadDir(n)
}

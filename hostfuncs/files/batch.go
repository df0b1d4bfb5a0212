package files

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Batch is a request about many files at once. A search through thousands of files then crosses
// between guest and host only once, and the host works on several files concurrently. Each answer
// equals the result of Open, ReadDir or Lstat for that file alone, with the same checks. There is
// one difference. A directory that was found for one file may be used for up to batchShare
// consecutive files, even if it has been moved meanwhile. No file stays open, and the files do not
// count towards the open files of the guest.
type Batch struct {
	ctx   context.Context
	fs    *FS
	names []string // relative to the root of the guest
}

// Batch returns a request about the named files. If ctx is done, the remaining files get
// fs.ErrClosed as their answer. The caller keeps names and must not change it while a method runs.
func (f *FS) Batch(ctx context.Context, names []string) Batch {
	return Batch{ctx: ctx, fs: f, names: names}
}

// Answer is the answer of a [Batch] for one file.
type Answer struct {
	// Err says why there is no answer. It is an error of this package, including ErrNoRoom and
	// ErrOverSize, which only a Batch returns.
	Err error
	// Type, Size in bytes, and ModTime describe the file.
	Type    fs.FileMode
	Size    int64
	ModTime time.Time
	// Content is the part of the buffer that the answer fills, and Offset is its position there.
	Content []byte
	Offset  int
}

// answerOn returns an answer with the type, size and time in info.
func answerOn(info fs.FileInfo) Answer {
	return Answer{Type: info.Mode().Type(), Size: info.Size(), ModTime: info.ModTime()}
}

// Stat describes the files like Lstat.
func (b Batch) Stat() []Answer {
	return b.each(func(w *batchWorker, name string) Answer {
		if a, ok := w.statPlain(name); ok {
			return a
		}
		info, err := b.fs.View("/").Lstat(name)
		if err != nil {
			return Answer{Err: err}
		}
		return answerOn(info)
	})
}

// Read reads whole regular files into the buffer room. limit is the largest size of one file in
// bytes. For a larger file, Err of the answer is ErrOverSize, and Size is set. For a file that does
// not fit into the rest of the buffer, Err is ErrNoRoom. After the call, unused parts of the buffer
// may contain arbitrary data of the files.
func (b Batch) Read(limit int, room []byte) []Answer {
	r := &batchRoom{all: room}
	return b.each(func(w *batchWorker, name string) Answer {
		if a, ok := w.readPlain(b.ctx, name, limit, r); ok {
			return a
		}
		return b.read(name, limit, r)
	})
}

// read reads one file as the guest would.
func (b Batch) read(name string, limit int, r *batchRoom) Answer {
	file, err := b.open(name, 0)
	if err != nil {
		return Answer{Err: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Answer{Err: err}
	}
	a := answerOn(info)
	if file.IsDir() {
		a.Err = ErrIsDir
		return a
	}
	a.fill(b.ctx, limit, r, file.Read)
	return a
}

// open is like View.Open, but does not take one of the guest's slots for open files. The number of
// free slots would otherwise depend on the timing of the workers.
func (b Batch) open(name string, flags OpenFlags) (file *File, err error) {
	p, err := b.fs.resolve("/", name)
	if err == nil {
		file, err = b.fs.openPlace(p, flags)
	}
	return file, pathError("open", p.guest, err)
}

// fill reads a file whose size is a.Size. To detect the end of the file, it requests one byte more.
func (a *Answer) fill(ctx context.Context, limit int, r *batchRoom, read func([]byte) (int, error)) {
	// A file system may report any size.
	if a.Size < 0 || a.Size > int64(limit) {
		a.Err = ErrOverSize
		return
	}
	buffer, offset := r.take(int(a.Size) + 1)
	if buffer == nil {
		a.Err = ErrNoRoom
		return
	}
	filled := 0
	for filled < len(buffer) {
		if ctx.Err() != nil {
			a.Err = fs.ErrClosed
			return
		}
		n, err := read(buffer[filled:])
		filled += n
		if err != nil && err != io.EOF {
			a.Err = err
			return
		}
		// All bytes of the reported size were read. Do not read again only to see the end of the
		// file.
		if n == 0 || filled == int(a.Size) {
			break
		}
	}
	if filled > int(a.Size) { // the file has grown, or its reported size was wrong
		a.Err = ErrOverSize
		return
	}
	a.Content, a.Offset = buffer[:filled], offset
}

// List lists directories into the buffer room. Each entry is one byte for its type, one byte for
// the length of its name, and the name. Entries are sorted by name. Types are the numbers of WASI.
// List omits the same entries as ReadDir and fails in the same cases. If the entries of a directory
// do not fit into the rest of the buffer, Err of the answer is ErrNoRoom.
func (b Batch) List(room []byte) []Answer {
	r := &batchRoom{all: room}
	return b.each(func(_ *batchWorker, name string) Answer {
		var a Answer
		a.Err = b.list(&a, name, r)
		return a
	})
}

func (b Batch) list(a *Answer, name string, r *batchRoom) error {
	dir, err := b.open(name, OpenDirectory)
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	size := 0
	for _, e := range entries {
		size += 2 + len(e.Name())
	}
	buffer, offset := r.take(size)
	if buffer == nil {
		return ErrNoRoom
	}
	to := buffer[:0]
	for _, e := range entries {
		// The guest cannot use names longer than 255 bytes.
		if len(e.Name()) <= maxNameBytes {
			to = append(append(to, byte(WASIType(e.Type())), byte(len(e.Name()))), e.Name()...)
		}
	}
	a.Type, a.Content, a.Offset = fs.ModeDir, to, offset
	return nil
}

// WASIType returns WASI's number for a file type, or 0 if WASI has none.
func WASIType(mode fs.FileMode) uint32 {
	switch mode.Type() {
	case 0:
		return 4
	case fs.ModeDir:
		return 3
	case fs.ModeSymlink:
		return 7
	}
	return 0
}

// batchRoom is the guest's buffer that the answers share.
type batchRoom struct {
	all  []byte
	used atomic.Int64
}

// take reserves n bytes and returns them with their position, or nil if fewer are left.
func (r *batchRoom) take(n int) (part []byte, offset int) {
	for {
		used := r.used.Load()
		end := used + int64(n)
		if end > int64(len(r.all)) {
			return nil, 0
		}
		if r.used.CompareAndSwap(used, end) {
			return r.all[used:end:end], int(used)
		}
	}
}

const (
	// batchShare is how many consecutive files one worker takes. Consecutive files are mostly in
	// one directory, which is then opened only once.
	batchShare = 32
	// maxBatchWorkers limits the processors that one call of a guest keeps busy.
	maxBatchWorkers = 4
)

// batchWorker processes some files of a batch. Its methods differ between operating systems. They
// are a fast path for files that are reached without a link.
type batchWorker struct {
	fs  *FS
	dir batchDirectory
}

// each calls the function ask for each file and returns the answers in the order of the names.
func (b Batch) each(ask func(w *batchWorker, name string) Answer) []Answer {
	answers := make([]Answer, len(b.names))
	var next atomic.Int64
	work := func() {
		w := &batchWorker{fs: b.fs}
		defer w.dir.close()
		for {
			end := int(next.Add(batchShare))
			start := end - batchShare
			if start >= len(b.names) {
				return
			}
			w.dir.close() // the directory may have been moved since it was found
			for i := start; i < min(end, len(b.names)); i++ {
				if b.ctx.Err() != nil {
					answers[i].Err = fs.ErrClosed
					continue
				}
				answers[i] = ask(w, b.names[i])
			}
		}
	}
	shares := (len(b.names) + batchShare - 1) / batchShare
	var others sync.WaitGroup
	for range min(shares, goruntime.GOMAXPROCS(0), maxBatchWorkers) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	return answers
}

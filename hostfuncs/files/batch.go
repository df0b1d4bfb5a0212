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

// Batch is many files named at once: a search through thousands of them pays for the way
// from the guest to the host and back once, and the host looks at several of them at the
// same time. What each answer says is what Open, ReadDir or Lstat would have said of that
// file alone, with the same checks; neighbours in a row, batchShare of them at most, may be
// looked up in their directory as it was found for the first of them. No file stays open, and
// none counts as one that the guest has open.
type Batch struct {
	ctx   context.Context
	fs    *FS
	names []string // from the root of the guest
}

// Batch returns what the guest asks of many files, of which the rest get fs.ErrClosed for an
// answer when ctx is done. The names stay the caller's, which must not change them while a
// method runs.
func (f *FS) Batch(ctx context.Context, names []string) Batch {
	return Batch{ctx: ctx, fs: f, names: names}
}

// Answer is what a Batch tells of one of its files.
type Answer struct {
	// Err is why there is no answer: an error of this package, or one of those that only a
	// batch has, ErrNoRoom and ErrOverSize.
	Err error
	// Type is the file's type, Size its size in bytes, and ModTime when its content changed
	// last.
	Type    fs.FileMode
	Size    int64
	ModTime time.Time
	// Content is the part of the room that the answer fills, and Offset where that begins.
	Content []byte
	Offset  int
}

// answerOn is an answer with what info says.
func answerOn(info fs.FileInfo) Answer {
	return Answer{Type: info.Mode().Type(), Size: info.Size(), ModTime: info.ModTime()}
}

// Stat describes the files as Lstat does.
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

// Read reads whole regular files of up to most bytes each into room. Err of an answer is
// ErrOverSize for a file that is larger, whose Size is told, and ErrNoRoom for one that does
// not fit into what of the room the others have left. What is left of the room at the end
// may hold anything of the files that were read.
func (b Batch) Read(most int, room []byte) []Answer {
	r := &batchRoom{all: room}
	return b.each(func(w *batchWorker, name string) Answer {
		if a, ok := w.readPlain(b.ctx, name, most, r); ok {
			return a
		}
		return b.read(name, most, r)
	})
}

// read reads one file as the guest would.
func (b Batch) read(name string, most int, r *batchRoom) Answer {
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
	a.fill(b.ctx, most, r, file.Read)
	return a
}

// open is View.Open for as long as it takes to look at the file. It takes none of the guest's
// places for open files: how many are left would depend on what the other workers do at that
// moment.
func (b Batch) open(name string, flags OpenFlags) (file *File, err error) {
	p, err := b.fs.resolve("/", name)
	if err == nil {
		file, err = b.fs.openPlace(p, flags)
	}
	return file, pathError("open", p.guest, err)
}

// fill reads a file of a.Size bytes to its end, which it finds by asking for a byte more.
func (a *Answer) fill(ctx context.Context, most int, r *batchRoom, read func([]byte) (int, error)) {
	// A file system may tell any size.
	if a.Size < 0 || a.Size > int64(most) {
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
		// A file that is as long as it said and gives no more has ended, as far as a reader
		// can see.
		if n == 0 || filled == int(a.Size) {
			break
		}
	}
	if filled > int(a.Size) { // it grew, or never had the size that it told
		a.Err = ErrOverSize
		return
	}
	a.Content, a.Offset = buffer[:filled], offset
}

// List lists directories into room: for each entry a byte for its type, one for the length
// of its name, and the name; the entries in the order of their names. The types are the
// numbers of WASI. What ReadDir leaves out is left out here, and what it fails for. Err of
// an answer is ErrNoRoom for a directory whose entries do not fit into what of the room the
// others have left.
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
		// Names of more than 255 bytes are none that the guest could use.
		if len(e.Name()) <= maxNameBytes {
			to = append(append(to, byte(WASIType(e.Type())), byte(len(e.Name()))), e.Name()...)
		}
	}
	a.Type, a.Content, a.Offset = fs.ModeDir, to, offset
	return nil
}

// WASIType returns the number of WASI for the type of a file; 0 for what WASI has none for.
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

// batchRoom is the guest's memory that answers share.
type batchRoom struct {
	all  []byte
	used atomic.Int64
}

// take returns n bytes that nobody else gets, and where they begin; nil if there are not as
// many left.
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
	// batchShare is how many files in a row one worker takes: neighbours mostly lie in one
	// directory, which is then opened once for all of them.
	batchShare = 32
	// maxBatchWorkers bounds the processors that one call of a guest keeps busy.
	maxBatchWorkers = 4
)

// batchWorker answers for some of the files of a batch. Its methods, of which each system
// has its own, answer for files to which no link leads, the fast way.
type batchWorker struct {
	fs     *FS
	folder batchFolder
}

// each asks for each file and returns the answers in the order of the names.
func (b Batch) each(ask func(w *batchWorker, name string) Answer) []Answer {
	answers := make([]Answer, len(b.names))
	var next atomic.Int64
	work := func() {
		w := &batchWorker{fs: b.fs}
		defer w.folder.close()
		for {
			end := int(next.Add(batchShare))
			start := end - batchShare
			if start >= len(b.names) {
				return
			}
			w.folder.close() // it may have been moved since it was found
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

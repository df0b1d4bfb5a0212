package workspace

import (
	"io/fs"
	"path"
	"syscall"

	"github.com/wasmtool/wasmtool/guest/files"
)

// MaxBatch limits the files that a Batch asks for at once.
const MaxBatch = 512

// Batch stats, lists or reads many files at once. In the sandbox, this is many times faster than
// one file at a time. A Batch reuses its memory, so answers are only valid until its next use.
type Batch struct {
	asker asker
	room  []byte
}

// asker returns an answer for each of the named files of the workspace. An error applies to all of
// them.
type asker interface {
	statMany(names []string, room []byte) ([]files.Answer, error)
	listMany(names []string, room []byte) ([]files.Answer, error)
	readMany(names []string, limit int, room []byte) ([]files.Answer, error)
}

// NewBatch returns a Batch with a buffer for the content of files. The parameter room is the size
// of the buffer in bytes.
func NewBatch(fsys fs.FS, room int) *Batch {
	asker, ok := fsys.(asker)
	if !ok {
		asker = oneByOne{fsys}
	}
	return &Batch{asker: asker, room: make([]byte, MaxBatch*files.AnswerSize+room)}
}

// Stat describes up to MaxBatch files; it does not follow links.
func (b *Batch) Stat(names []string) []files.Answer {
	return all(names)(b.asker.statMany(names, b.room))
}

// List lists up to MaxBatch directories. A directory that does not fit into the buffer has the
// error syscall.ENOBUFS.
func (b *Batch) List(names []string) []files.Answer {
	return all(names)(b.asker.listMany(names, b.room))
}

// Read reads up to MaxBatch files of at most limit bytes each. A larger file has the error
// syscall.EFBIG. A file that does not fit into the buffer has syscall.ENOBUFS.
func (b *Batch) Read(names []string, limit int) []files.Answer {
	return all(names)(b.asker.readMany(names, limit, b.room))
}

// all returns a function that replaces the error of a whole call with an error for each of the
// files.
func all(names []string) func([]files.Answer, error) []files.Answer {
	return func(answers []files.Answer, err error) []files.Answer {
		if err == nil {
			return answers
		}
		answers = make([]files.Answer, len(names))
		for i := range answers {
			answers[i].Err = err
		}
		return answers
	}
}

// oneByOne asks a file system for one file at a time.
type oneByOne struct{ fsys fs.FS }

func (o oneByOne) statMany(names []string, _ []byte) ([]files.Answer, error) {
	answers := make([]files.Answer, len(names))
	for i, name := range names {
		info, err := fs.Lstat(o.fsys, name)
		if err != nil {
			answers[i].Err = err
			continue
		}
		answers[i] = files.Answer{Type: info.Mode().Type(), Size: info.Size(), ModTime: info.ModTime()}
		if info.Mode().IsRegular() && !Regular(info) {
			answers[i].Type = fs.ModeIrregular
		}
	}
	return answers, nil
}

func (o oneByOne) listMany(names []string, _ []byte) ([]files.Answer, error) {
	answers := make([]files.Answer, len(names))
	for i := range answers {
		answers[i].Err = syscall.ENOBUFS // the caller lists it separately
	}
	return answers, nil
}

func (o oneByOne) readMany(names []string, limit int, room []byte) ([]files.Answer, error) {
	answers, _ := o.statMany(names, room)
	left := len(room) - len(names)*files.AnswerSize
	for i, name := range names {
		a := &answers[i]
		if a.Err == nil && a.Size > int64(limit) {
			a.Err = syscall.EFBIG
		}
		if a.Err == nil {
			a.Content, a.Err = fs.ReadFile(o.fsys, name)
		}
		if left -= len(a.Content); left < 0 {
			a.Content, a.Err = nil, syscall.ENOBUFS
		}
	}
	return answers, nil
}

// listed is an entry of a directory that was listed with others.
type listed struct {
	fsys            fs.FS
	directory, name string
	kind            fs.FileMode
}

func (e *listed) Name() string               { return e.name }
func (e *listed) IsDir() bool                { return e.kind.IsDir() }
func (e *listed) Type() fs.FileMode          { return e.kind }
func (e *listed) Info() (fs.FileInfo, error) { return fs.Lstat(e.fsys, path.Join(e.directory, e.name)) }

// directories lists several directories together and returns their entries in the order of names. A
// directory that can't be listed has nil entries and an error.
func (b *Batch) directories(fsys fs.FS, names []string) (entries [][]fs.DirEntry, errs []error) {
	entries, errs = make([][]fs.DirEntry, len(names)), make([]error, len(names))
	for i, a := range b.List(names) {
		switch a.Err {
		case nil:
			entries[i] = listedEntries(fsys, names[i], a)
		case syscall.ENOBUFS:
			entries[i], errs[i] = fs.ReadDir(fsys, names[i])
		default:
			errs[i] = a.Err
		}
	}
	return entries, errs
}

func listedEntries(fsys fs.FS, directory string, a files.Answer) []fs.DirEntry {
	count := 0
	for rest := a.Content; len(rest) >= 2; rest = rest[min(len(rest), 2+int(rest[1])):] {
		count++
	}
	all := make([]listed, 0, count)
	entries := make([]fs.DirEntry, 0, count)
	for name, kind := range a.Entries() {
		all = append(all, listed{fsys, directory, name, kind})
		entries = append(entries, &all[len(all)-1])
	}
	return entries
}

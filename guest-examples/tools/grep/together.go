package grep

import (
	"io/fs"
	"syscall"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

const (
	// readRoom is the size of the buffer for files that are read together, in bytes. maxSmall is
	// the maximum size of such a file. Larger files are read in blocks.
	readRoom = 1 << 20
	maxSmall = 128 << 10
	// firstBatch is the number of files in the first batch of files that are read together. Their
	// sizes are not yet known.
	firstBatch = 64
)

// queue is the list of files to search next.
type queue struct {
	names   []string
	entries []fs.DirEntry
	size    int // number of files to read together
}

// batch reads and searches the first files of the queue, in order.
func (s *search) batch() {
	names := s.queue.names[:min(len(s.queue.names), s.queue.size)]
	done := 0
	for i, found := range s.many.Read(names, maxSmall) {
		if found.Err == syscall.ENOBUFS && i > 0 {
			break // read this file and those after it in the next batch
		}
		err := found.Err
		switch err {
		case nil:
			err = s.content(names[i], found.Content)
		case syscall.EFBIG, syscall.ENOBUFS:
			err = s.file(names[i])
		}
		s.outcome(names[i], s.queue.entries[i], err)
		done++
	}
	if done == len(names) {
		s.queue.size = min(2*s.queue.size, workspace.MaxBatch)
	} else {
		s.queue.size = max(done, 1)
	}
	left := copy(s.queue.names, s.queue.names[done:])
	copy(s.queue.entries, s.queue.entries[done:])
	s.queue.names, s.queue.entries = s.queue.names[:left], s.queue.entries[:left]
}

// content searches a file whose whole content is in memory. It may change content.
func (s *search) content(name string, content []byte) error {
	if s.scanner.matcher.lacks(content) {
		s.report.searched++
		return nil
	}
	decoded, plain, err := text.Decode(content)
	if err != nil {
		return err
	}
	s.report.begin(name)
	s.scanner.whole(decoded, plain, s.report.add)
	return s.report.end(s.reopen(name))
}

package bash

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// capture keeps what a script writes to standard output and standard error, in
// the order in which it was written: the beginning, and the end when it is long. It
// may be used concurrently.
type capture struct {
	// overflow is called when the script writes more than maxOutput.
	overflow func()

	mu         sync.Mutex
	head, tail []byte
	total      int
	// cutLines is how many line feeds were left out so far, kept up to date as the
	// tail moves on.
	cutLines int
}

// Write takes all of p and never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.total
	c.total += len(p)
	if before <= maxOutput && c.total > maxOutput {
		c.overflow()
	}
	rest := p
	if room := maxHead - len(c.head); room > 0 {
		n := min(room, len(rest))
		c.head, rest = append(c.head, rest[:n]...), rest[n:]
	}
	c.tail = append(c.tail, rest...)
	if len(c.tail) > 2*maxTail {
		c.dropTail()
	}
	return len(p), nil
}

// dropTail leaves maxTail bytes of the tail.
func (c *capture) dropTail() {
	drop := len(c.tail) - maxTail
	c.cutLines += bytes.Count(c.tail[:drop], []byte("\n"))
	c.tail = append(c.tail[:0], c.tail[drop:]...)
}

// text returns what was kept as UTF-8, how many bytes were written in all, and how
// many of them are missing from the text.
func (c *capture) text() (text string, total, cut int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.tail) > maxTail {
		c.dropTail()
	}
	var b strings.Builder
	b.Write(c.head)
	cut = c.total - len(c.head) - len(c.tail)
	if cut > 0 {
		fmt.Fprintf(&b, "\n... %d bytes with %d line feeds of the output are left out here ...\n", cut, c.cutLines)
	}
	b.Write(c.tail)
	return strings.ToValidUTF8(b.String(), "\uFFFD"), c.total, cut
}

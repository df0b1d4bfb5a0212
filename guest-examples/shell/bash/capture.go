package bash

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
)

// capture stores what a script writes to standard output and standard error, in order: the
// beginning, and the end if the output is long. It is safe for concurrent use.
type capture struct {
	// overflow is called when the script writes more than maxOutput.
	overflow func()
	// tell is called now and then with the last output while the script runs; nil if not needed.
	tell func(last string)

	mu         sync.Mutex
	head, tail []byte
	total      int
	// cutLines counts the line feeds dropped so far; it is updated as the tail moves on.
	cutLines int
	telling  *time.Timer // set while a report is pending
}

// tellAfter delays the first report after output, so that short scripts report nothing. maxTold
// limits the bytes of a report.
const (
	tellAfter = 500 * time.Millisecond
	maxTold   = 4 << 10
)

// Write accepts all of p and never fails.
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
	if c.tell != nil && c.telling == nil {
		c.telling = time.AfterFunc(tellAfter, c.tellLast)
	}
	return len(p), nil
}

func (c *capture) tellLast() {
	c.mu.Lock()
	tell, last := c.tell, c.tail
	if len(last) < maxTold && c.total == len(c.head)+len(c.tail) {
		last = append(c.head[max(0, len(c.head)-maxTold):len(c.head):len(c.head)], last...)
	}
	text := strings.ToValidUTF8(string(last[max(0, len(last)-maxTold):]), "\uFFFD")
	c.telling = nil
	c.mu.Unlock()
	if tell != nil {
		tell(text)
	}
}

// end stops all further reports.
func (c *capture) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell = nil
	if c.telling != nil {
		c.telling.Stop()
	}
}

// dropTail cuts the tail down to its last maxTail bytes.
func (c *capture) dropTail() {
	drop := len(c.tail) - maxTail
	c.cutLines += bytes.Count(c.tail[:drop], []byte("\n"))
	c.tail = append(c.tail[:0], c.tail[drop:]...)
}

// text returns the stored output as UTF-8, the number of bytes written, and the number of bytes
// missing from the text.
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
		fmt.Fprintf(&b, "\n... %d bytes with %d line feeds of output omitted ...\n", cut, c.cutLines)
	}
	b.Write(c.tail)
	return strings.ToValidUTF8(b.String(), "\uFFFD"), c.total, cut
}

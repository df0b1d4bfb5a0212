package bash

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
)

// capture stores what a script writes to standard output and standard error, in order. Of a long
// output it keeps only the beginning and the end. It is safe for concurrent use.
type capture struct {
	// overflow is called when the script writes more than maxOutput.
	overflow func()
	// report is called at intervals with the last output while the script runs. It may be nil.
	report func(last string)

	mu         sync.Mutex
	head, tail []byte
	total      int
	// cutLines is the number of line feeds that have been dropped from the tail so far.
	cutLines int
	pending  *time.Timer // set while a report is pending
}

// reportDelay is the delay of the first report after output, so that short scripts report nothing.
// maxReport is the maximum length of a report in bytes.
const (
	reportDelay = 500 * time.Millisecond
	maxReport   = 4 << 10
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
	if c.report != nil && c.pending == nil {
		c.pending = time.AfterFunc(reportDelay, c.reportLast)
	}
	return len(p), nil
}

func (c *capture) reportLast() {
	c.mu.Lock()
	report, last := c.report, c.tail
	if len(last) < maxReport && c.total == len(c.head)+len(c.tail) {
		last = append(c.head[max(0, len(c.head)-maxReport):len(c.head):len(c.head)], last...)
	}
	text := strings.ToValidUTF8(string(last[max(0, len(last)-maxReport):]), "\uFFFD")
	c.pending = nil
	c.mu.Unlock()
	if report != nil {
		report(text)
	}
}

// end stops all future reports.
func (c *capture) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report = nil
	if c.pending != nil {
		c.pending.Stop()
	}
}

// dropTail cuts the tail down to its last maxTail bytes.
func (c *capture) dropTail() {
	drop := len(c.tail) - maxTail
	c.cutLines += bytes.Count(c.tail[:drop], []byte("\n"))
	c.tail = append(c.tail[:0], c.tail[drop:]...)
}

// text returns the stored output as UTF-8, the total number of bytes written, and the number of
// bytes that were dropped.
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
		fmt.Fprintf(&b, "\n... %d bytes of output with %d line feeds omitted ...\n", cut, c.cutLines)
	}
	b.Write(c.tail)
	return strings.ToValidUTF8(b.String(), "\uFFFD"), c.total, cut
}

package mcpserver

import (
	"errors"
	"io"
	"sync/atomic"
)

// errBodiesFull is the error of a body for which there is no room beside the others.
var errBodiesFull = errors.New("too much is on its way")

// bodies counts what requests have sent that are not answered yet: each is bounded, and
// many connections may bring one each. What has not arrived takes no room, so that who
// sends slowly keeps nobody out.
type bodies struct {
	most  int64
	bytes atomic.Int64
}

// countedBody is a body that is read.
type countedBody struct {
	io.Reader
	all  *bodies
	read int64
}

func (b *bodies) count(r io.Reader) *countedBody { return &countedBody{Reader: r, all: b} }

func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	if c.all.bytes.Add(int64(n)) > c.all.most {
		return n, errBodiesFull
	}
	return n, err
}

// leave gives the room back.
func (c *countedBody) leave() {
	c.all.bytes.Add(-c.read)
	c.read = 0
}

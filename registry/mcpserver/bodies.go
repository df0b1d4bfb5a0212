package mcpserver

import (
	"errors"
	"io"
	"sync"
)

// errBodiesFull is the error of a body for which there is no room beside the others.
var errBodiesFull = errors.New("too much is on its way")

// bodies counts what requests have sent that are not answered yet: each is bounded, and
// many connections may bring one each. What has not arrived takes no room, so that who
// sends slowly keeps nobody out.
type bodies struct {
	most, mostOfUser int64

	mu    sync.Mutex
	bytes int64
	users map[string]int64
}

// add takes room for a user, or gives it back, and reports whether there is as much.
func (b *bodies) add(user string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users == nil {
		b.users = make(map[string]int64)
	}
	b.bytes += n
	if b.users[user] += n; b.users[user] == 0 {
		delete(b.users, user)
	}
	return b.bytes <= b.most && b.users[user] <= b.mostOfUser
}

// countedBody is a body that is read.
type countedBody struct {
	io.Reader
	all  *bodies
	user string
	read int64
}

func (b *bodies) count(user string, r io.Reader) *countedBody {
	return &countedBody{Reader: r, all: b, user: user}
}

func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	if !c.all.add(c.user, int64(n)) {
		return n, errBodiesFull
	}
	return n, err
}

// leave gives the room back.
func (c *countedBody) leave() {
	c.all.add(c.user, -c.read)
	c.read = 0
}

package mcp

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// listenPause is the wait before what a server says unasked is listened to again; it doubles
// up to mostWait while nothing comes.
const listenPause = 5 * time.Second

// errNoStream is the answer of a server that says nothing unasked, as most do.
var errNoStream = errors.New("it says nothing unasked")

// listen hears what the server says unasked, such as that its list changed, until the session
// ends or the server turns out to have no such stream.
func (r *remote) listen() {
	pause := listenPause
	for r.life.Err() == nil {
		heard := false
		err := r.exchange(r.life, http.MethodGet, nil, answerTime, func(res *egress.Response) error {
			if res.Status != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), eventStream) {
				return errNoStream
			}
			return messages(res, func(line []byte) error {
				heard = true
				_, err := r.heard.Write(line)
				return err
			})
		})
		var refused *httpError
		switch {
		case errors.Is(err, errNoStream):
			return
		case errors.As(err, &refused) && refused.sessionOver:
			r.finish(refused.Error())
			return
		case errors.As(err, &refused) && refused.status != 0 && refused.status < 500:
			return
		}
		if heard {
			pause = listenPause
		}
		select {
		case <-time.After(pause):
		case <-r.life.Done():
		}
		pause = min(2*pause, mostWait)
	}
}

package transport

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/sse"
)

// When the listening stream has ended, it is opened again after minListenWait. The wait doubles up
// to maxListenWait while no message arrives.
const (
	minListenWait = 5 * time.Second
	maxListenWait = time.Minute
)

// errNoStream is the error for a server without a listening stream; most servers have none.
var errNoStream = errors.New("it has no stream to listen to")

// listen receives the messages that the server sends outside of responses, such as a
// notification that its list of tools changed. It returns when the session ends, or when the
// server turns out to have no such stream.
func (s *httpStream) listen() {
	wait := minListenWait
	for s.ctx.Err() == nil {
		received := false
		err := s.exchange(s.ctx, http.MethodGet, nil, requestTime, func(res *egress.Response) error {
			if res.Status != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), sse.MediaType) {
				return errNoStream
			}
			return messages(res, func(line []byte) error {
				received = true
				_, err := s.incoming.Write(line)
				return err
			})
		})
		var failed *Error
		switch {
		case errors.Is(err, errNoStream):
			return
		case errors.As(err, &failed) && failed.sessionOver:
			s.finish(failed.Error())
			return
		case errors.As(err, &failed) && failed.Status != 0 && failed.Status < 500:
			return
		}
		if received {
			wait = minListenWait
		}
		select {
		case <-time.After(wait):
		case <-s.ctx.Done():
		}
		wait = min(2*wait, maxListenWait)
	}
}

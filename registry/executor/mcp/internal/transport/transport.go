// Package transport carries JSON-RPC messages to an MCP server and back, through the standard input
// and output of a program or over streamable HTTP. It knows only as much of the messages as HTTP
// requires: which of them is a request, and which is its response.
//
// The server is not trusted. The size of a message, the number of requests in flight and the
// duration of each request are limited. Redirects are not followed, and no request is sent twice.
package transport

import (
	"errors"
	"io"
	"strconv"
)

// MaxMessage limits one message from the server, in bytes.
const MaxMessage = 16 << 20

// ErrMessageTooLong ends the connection to a server that sends more than [MaxMessage] bytes as one
// message. The client cannot tell which request the message answers. Without this error, the
// request would wait forever.
var ErrMessageTooLong = errors.New("it sent a message of more than " + strconv.Itoa(MaxMessage>>20) + " MiB")

// Stream is a connection to a server. Each line that is written is a message to the server, and
// each line that is read is a message from the server. Close ends the program or the session.
type Stream interface {
	io.ReadWriteCloser
	// OnFailure sets the function that is called when the stream stays usable but the request
	// with the given ID gets no response. It is called before the first Write.
	OnFailure(failed func(id int64, err error))
	// LastWords returns the end of what a program wrote to standard error, or why an HTTP
	// session ended.
	LastWords() string
}

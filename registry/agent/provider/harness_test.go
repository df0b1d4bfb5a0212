package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/agent/provider"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// key is the value of the secret MODEL_KEY.
const key = "sk-test-0123456789abcdef"

func secrets() *secret.Store {
	return secret.New(map[string]secret.Source{
		"MODEL_KEY": secret.FromFunc("test", func() (string, error) { return key, nil }),
		"BROKEN":    secret.FromFunc("test", func() (string, error) { return "", errors.New("is not set here") }),
	}, secret.Options{})
}

// withKey returns options for a server at a base URL that requires the key.
func withKey(f llm.Format, base string) provider.Options {
	return provider.Options{
		Format: f, Model: "m-1", BaseURL: base,
		Secret: capability.SecretUse{Name: "MODEL_KEY"}, Secrets: secrets(),
	}
}

// client returns a client, or fails the test.
func client(t *testing.T, o provider.Options) *provider.Client {
	t.Helper()
	c, err := provider.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask asks for a message and returns its text. The error of a stream without End is errNoEnd.
func ask(ctx context.Context, c *provider.Client) (string, error) {
	var text strings.Builder
	ended := false
	for chunk, err := range c.Stream(ctx, llm.Request{Messages: []json.RawMessage{c.Format().UserMessage("Hello")}}) {
		if err != nil {
			return text.String(), err
		}
		text.WriteString(chunk.Text)
		ended = ended || chunk.End != nil
	}
	if !ended {
		return text.String(), errNoEnd
	}
	return text.String(), nil
}

var errNoEnd = errors.New("the stream has no End")

// event returns an event with a piece of the answer in the format OpenAI.
func event(text string) string {
	piece, _ := json.Marshal(text)
	return `data: {"id":"1","object":"chat.completion.chunk","model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":` + string(piece) + `},"finish_reason":null}]}` + "\n\n"
}

// end ends a stream in the format OpenAI.
const end = `data: {"id":"1","object":"chat.completion.chunk","model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

// streams answers with a complete stream in the format OpenAI.
func streams(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, event(text)+end)
}

// network is a network in memory with one HTTP server at all addresses. It works in a synctest
// bubble.
type network struct {
	conns chan net.Conn
	done  chan struct{}

	mu        sync.Mutex
	addresses [][]string // results of the next look-ups; the last is for all further ones
	refusals  int        // how many connections are refused before one is accepted
	dialled   []string
}

// serve returns a network with a handler, which is closed at the end of the test.
func serve(t *testing.T, h http.HandlerFunc) *network {
	n := &network{conns: make(chan net.Conn), done: make(chan struct{}), addresses: [][]string{{"127.0.0.1"}}}
	s := &http.Server{Handler: h}
	go s.Serve(n)
	t.Cleanup(func() { s.Close() })
	return n
}

// options returns options without a key for a server at a base URL in the network.
func (n *network) options(base string) provider.Options {
	return provider.Options{
		Format: llm.OpenAI, Model: "m-1", BaseURL: base,
		HTTP: egress.Transport{LookupNetIP: n.lookup, Dial: n.dial},
	}
}

func (n *network) lookup(context.Context, string, string) (out []netip.Addr, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range n.addresses[0] {
		out = append(out, netip.MustParseAddr(a))
	}
	if len(n.addresses) > 1 {
		n.addresses = n.addresses[1:]
	}
	return out, nil
}

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, address)
	n.refusals--
	refuse := n.refusals >= 0
	n.mu.Unlock()
	if refuse {
		return nil, errors.New("refused")
	}
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		return client, nil
	case <-n.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	close(n.done)
	return nil
}

func (n *network) Addr() net.Addr { return &net.TCPAddr{} }

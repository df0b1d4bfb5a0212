package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// conversation holds the messages of a run.
type conversation struct {
	tools      *llm.Tools
	maxResults int // bytes
	first      json.RawMessage
	exchanges  []exchange
}

// exchange is a message of the model with the results of its calls.
type exchange struct {
	message llm.Message
	results []tool.Result
	sent    []json.RawMessage
	// size is the size of the results in bytes; 0 once they are left out.
	size int
}

// add appends an exchange. If the results of all exchanges become too large, it leaves out the
// oldest ones until half of the room is free, so that the beginning of the conversation changes
// rarely: providers cache it.
func (c *conversation) add(m llm.Message, results []tool.Result) {
	x := exchange{message: m, results: results}
	for i := range results {
		results[i] = cut(results[i], c.maxResults/max(4, len(results)))
		x.size += results[i].Size()
	}
	x.sent = c.tools.Reply(m, results)
	total := x.size
	for _, old := range c.exchanges {
		total += old.size
	}
	limit := c.maxResults
	for i := 0; i < len(c.exchanges) && total > limit; i++ {
		limit = c.maxResults / 2
		total -= c.exchanges[i].size
		c.leaveOut(&c.exchanges[i])
	}
	c.exchanges = append(c.exchanges, x)
}

// leaveOut replaces the results of an exchange with notes.
func (c *conversation) leaveOut(x *exchange) {
	if x.size == 0 {
		return
	}
	for i, r := range x.results {
		note := fmt.Sprintf("(this result of %d bytes is no longer shown; repeat the call if you need it)", r.Size())
		if where := stored(r, "it is stored as "); where != "" {
			note = "(this result is no longer shown; " + where + ")"
		}
		x.results[i] = tool.Result{IsError: r.IsError, Content: []tool.Content{tool.TextContent(note)}}
	}
	x.sent, x.size = c.tools.Reply(x.message, x.results), 0
}

// messages returns all messages.
func (c *conversation) messages() []json.RawMessage {
	all := []json.RawMessage{c.first}
	for _, x := range c.exchanges {
		all = append(all, x.sent...)
	}
	return all
}

// cut returns the part of a result that fits into maxBytes. It keeps the beginning of the text, and
// leaves out blocks that do not fit.
func cut(r tool.Result, maxBytes int) tool.Result {
	if r.Size() <= maxBytes {
		return r
	}
	text := r.Text()
	short := tool.Result{IsError: r.IsError, Title: r.Title, Metadata: r.Metadata, Call: r.Call}
	text = cmp.Or(text, string(r.Structured))
	if len(text) > maxBytes {
		text = fmt.Sprintf("%s\n[cut: %d of %d bytes%s]", start(text, maxBytes), maxBytes, len(text), stored(r, ", stored as "))
	} else {
		text = strings.TrimSpace(text + "\n[images and other blocks are too large to be shown]")
	}
	short.Content = []tool.Content{tool.TextContent(text)}
	return short
}

// stored returns text and the handles of a result, or "" if it has none.
func stored(r tool.Result, text string) string {
	if handles, ok := r.Metadata[tool.MetaHandles]; ok {
		return text + fmt.Sprint(handles)
	}
	return ""
}

// start returns the beginning of a text, of at most maxBytes bytes.
func start(text string, maxBytes int) string {
	return strings.ToValidUTF8(text[:min(len(text), maxBytes)], "")
}

// brief returns a text on one line, for logs.
func brief(text string) string {
	const maxBrief = 200
	return plaintext.Short(strings.Join(strings.Fields(text), " "), maxBrief)
}

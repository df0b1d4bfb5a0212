package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// printContent prints the content of a result. On a terminal, control characters are made visible
// and the last line gets a newline; elsewhere the bytes are written unchanged.
func (s Streams) printContent(r tool.Result) error {
	terminal := terminal.Is(s.Out)
	blocks := slices.Concat(r.Content, r.Attachments)
	for _, c := range blocks {
		text := c.Text
		switch {
		case c.Type == tool.ContentResource && c.Resource.Blob == nil:
			text = c.Resource.Text
		case c.Type != tool.ContentText:
			s.note("the result contains %s", describeBlock(c))
			continue
		}
		if terminal {
			text = printable(text)
		}
		if needsNewline := text != "" && !strings.HasSuffix(text, "\n"); needsNewline && (terminal || len(blocks) > 1) {
			text += "\n"
		}
		if _, err := io.WriteString(s.Out, text); err != nil {
			return outputFailed(err)
		}
	}
	return nil
}

// describeBlock describes a content block that is not text.
func describeBlock(c tool.Content) string {
	file := func(what, name string, data []byte) string {
		return fmt.Sprintf("%s (%s, %s); -o FILE saves it", what, oneLine(name), byteCount(uint64(len(data))))
	}
	switch c.Type {
	case tool.ContentResourceLink:
		return fmt.Sprintf("a link to %s (%s)", oneLine(c.Resource.Name), oneLine(c.Resource.URI))
	case tool.ContentResource:
		return file("a file", c.Resource.URI, c.Resource.Blob)
	case tool.ContentAudio:
		return file("audio", c.MIMEType, c.Data)
	}
	return file("an image", c.MIMEType, c.Data)
}

// envelope is the JSON object that 'run --json' prints. Scripts depend on its fields.
type envelope struct {
	Success  bool           `json:"success"`
	Result   envelopeResult `json:"result"`
	Error    *tool.Error    `json:"error"`
	Warnings []string       `json:"warnings"`
	Call     envelopeCall   `json:"call"`
	Receipt  *tool.Receipt  `json:"receipt,omitempty"`
}

type envelopeResult struct {
	Content    []tool.Content  `json:"content"`
	Structured json.RawMessage `json:"structured,omitempty"`

	Title       string         `json:"title,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	Attachments []tool.Content `json:"attachments,omitempty"`
}

type envelopeCall struct {
	ID         string  `json:"id"`
	Tool       string  `json:"tool"`
	DurationMS float64 `json:"duration_ms"`
	Fuel       uint64  `json:"fuel,omitempty"`
	Memory     uint64  `json:"memory_bytes,omitempty"`
}

// printEnvelope prints the result of a call as one JSON object. The error that it returns
// determines the exit status.
func (s Streams) printEnvelope(r tool.Result, receipt *tool.Receipt, err error) error {
	if _, ok := errors.AsType[*usageError](err); ok {
		return err
	}
	e := envelope{
		Success: err == nil, Error: jsonError(err),
		Result: envelopeResult{
			Content: append([]tool.Content{}, r.Content...), Structured: r.Structured, Title: r.Title, Metadata: r.Metadata, Attachments: r.Attachments,
		},
		Warnings: append([]string{}, r.Warnings...), Receipt: receipt,
		Call: envelopeCall{ID: r.Call.ID, Tool: r.Call.Tool, DurationMS: float64(r.Call.Duration.Microseconds()) / 1000, Fuel: r.Call.Fuel, Memory: r.Call.Memory},
	}
	return s.printWithError(e, err)
}

// Package mcpresult reads the results of MCP tools. Results come from a server or a plug-in, so
// they are not trusted.
package mcpresult

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// MaxWords limits how much of a tool's failure report the error message quotes, in bytes.
const MaxWords = 2 << 10

// maxAnswer limits the response to a call, in bytes. It is the limit for all JSON that a tool
// returns, because parsing cannot be cancelled.
const maxAnswer = jsontree.MaxBytes

// Parse reads the response to tools/call. sender is the name of the sender in errors, such as "the
// MCP server". The error is a *tool.Error. Its code is execution if the tool reports a failure,
// invalid_output if the response is not a result, and timeout or cancelled if ctx is done.
func Parse(ctx context.Context, sender string, raw json.RawMessage) (tool.Result, error) {
	var answer struct {
		Content    blocks          `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if ctx.Err() != nil {
		return tool.Result{}, ended(ctx)
	}
	if len(raw) > maxAnswer {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the response of %s has %d bytes; the limit is %d", sender, len(raw), maxAnswer)
	}
	switch err := json.Unmarshal(raw, &answer); {
	case errors.Is(err, errBlocks):
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the result from %s has more than %d content blocks", sender, tool.MaxBlocks)
	case err != nil:
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the response of %s is not a tool result", sender)
	}
	var result tool.Result
	if !bytes.Equal(answer.Structured, []byte("null")) {
		result.Structured = answer.Structured
	}
	for i, one := range answer.Content {
		if ctx.Err() != nil {
			return tool.Result{}, ended(ctx)
		}
		block, forPeople, err := parseBlock(one)
		if err != nil {
			block = tool.TextContent("[a content block of the result cannot be shown]")
			if len(result.Warnings) < maxWarnings {
				result.Warnings = append(result.Warnings, fmt.Sprintf("content[%d] cannot be shown: %v", i, err))
			}
		}
		if forPeople {
			result.Attachments = append(result.Attachments, block)
		} else {
			result.Content = append(result.Content, block)
		}
	}
	if len(result.Content) == 0 && len(result.Structured) > 0 {
		// Clients that ignore structured results need the same content as text.
		result.Content = []tool.Content{tool.TextContent(string(result.Structured))}
	}
	if answer.IsError {
		return result, Failure(result)
	}
	return result, nil
}

// Failure returns the error for a result in which a tool reports a failure.
func Failure(r tool.Result) *tool.Error {
	first, _, _ := strings.Cut(r.Text(), "\n")
	return &tool.Error{Code: tool.CodeExecution, Message: "the tool reports a failure: " + plaintext.Cut(first, MaxWords), Recoverable: true}
}

func ended(ctx context.Context) error {
	return tool.Ended(ctx, "the call ended before its result was read")
}

// blocks are the unparsed content blocks of a response.
type blocks []json.RawMessage

// errBlocks is the error of a response with too many content blocks.
var errBlocks = errors.New("too many blocks")

// UnmarshalJSON implements json.Unmarshaler.
func (b *blocks) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	start, err := d.Token()
	if start == nil || err != nil { // null means no blocks
		return err
	}
	if start != json.Delim('[') {
		return errors.New("content is not a list")
	}
	for d.More() {
		if len(*b) == tool.MaxBlocks {
			return errBlocks
		}
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			return err
		}
		*b = append(*b, one)
	}
	return nil
}

// maxWarnings limits the warnings about the content blocks of one response.
const maxWarnings = 10

// parseBlock reads one block, and reports whether only people should see it. It drops the fields
// that models do not need: annotations, icons and metadata.
func parseBlock(raw json.RawMessage) (block tool.Content, forPeople bool, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return block, false, errors.New("it is not a JSON object")
	}
	var annotations struct {
		Audience []string `json:"audience"`
	}
	// Annotations that do not have this form are ignored.
	_ = json.Unmarshal(fields["annotations"], &annotations)
	forPeople = slices.Equal(annotations.Audience, []string{"user"})
	var resource map[string]json.RawMessage
	if json.Unmarshal(fields["resource"], &resource) == nil && resource != nil {
		delete(resource, "_meta")
		if string(fields["type"]) == `"resource"` && !hasPublicURI(resource) {
			fields = withoutURI(fields, resource)
		} else if fields["resource"], err = json.Marshal(resource); err != nil {
			return block, forPeople, err
		}
	}
	for _, name := range []string{"annotations", "_meta", "icons"} {
		delete(fields, name)
	}
	own, err := json.Marshal(fields)
	if err != nil {
		return block, forPeople, err
	}
	if block, err = tool.ParseContent(own); err != nil {
		return block, forPeople, err
	}
	return block, forPeople, block.Check()
}

// hasPublicURI reports whether a resource has a URI that may be passed on. Filesystem servers send
// no URI, or a file: URI that names a file on the server's own host.
func hasPublicURI(resource map[string]json.RawMessage) bool {
	var uri string
	if json.Unmarshal(resource["uri"], &uri) != nil || uri == "" {
		return false
	}
	scheme, _, _ := strings.Cut(uri, ":")
	return !strings.EqualFold(scheme, "file")
}

// withoutURI returns the block for an embedded resource, without the URI of the resource: a text,
// image or audio block with the content, or a resource block with an anonymous URI.
func withoutURI(fields, resource map[string]json.RawMessage) map[string]json.RawMessage {
	var mimeType string
	_ = json.Unmarshal(resource["mimeType"], &mimeType) // stays empty if it is not a string
	block := map[string]json.RawMessage{}
	kind, _, _ := strings.Cut(mimeType, "/")
	switch {
	case resource["text"] != nil && resource["blob"] == nil:
		block["type"], block["text"] = json.RawMessage(`"text"`), resource["text"]
	case resource["blob"] != nil && resource["text"] == nil && (kind == "image" || kind == "audio"):
		block["type"], block["data"], block["mimeType"] = json.RawMessage(`"`+kind+`"`), resource["blob"], resource["mimeType"]
	default:
		resource["uri"] = json.RawMessage(`"urn:wasmtool:embedded"`)
		own, err := json.Marshal(resource)
		if err != nil {
			return fields // the caller's parsing of fields reports the error
		}
		block["type"], block["resource"] = fields["type"], own
	}
	return block
}

// Package mcpresult reads the results of tools of the Model Context Protocol, whoever sent
// them: a server, or a plug-in that speaks as one. They are not trusted.
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

// MaxWords bounds what of a failure that a tool reports goes into its message, in bytes.
const MaxWords = 2 << 10

// maxAnswer bounds an answer in bytes, as every document that a tool gives. Reading it
// takes a few passes that nothing ends early.
const maxAnswer = jsontree.MaxBytes

// Parse reads the answer to tools/call that by sent, who is named in messages: "the MCP
// server". The error is a *tool.Error: execution for a failure that the tool reports,
// invalid_output for an answer that is no result, timeout or cancelled when ctx is done.
func Parse(ctx context.Context, by string, raw json.RawMessage) (tool.Result, error) {
	var answer struct {
		Content    blocks          `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if ctx.Err() != nil {
		return tool.Result{}, ended(ctx)
	}
	if len(raw) > maxAnswer {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the answer of %s has %d bytes; there may be %d", by, len(raw), maxAnswer)
	}
	switch err := json.Unmarshal(raw, &answer); {
	case errors.Is(err, errBlocks):
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the answer of %s has more than %d blocks", by, tool.MaxBlocks)
	case err != nil:
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the answer of %s is no result of a tool", by)
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
			block = tool.TextContent("[a block of the answer cannot be shown]")
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
		// A reader of text alone must see the whole answer too.
		result.Content = []tool.Content{tool.TextContent(string(result.Structured))}
	}
	if answer.IsError {
		return result, Failure(result)
	}
	return result, nil
}

// Failure is the error of a result in which a tool reports a failure.
func Failure(r tool.Result) *tool.Error {
	first, _, _ := strings.Cut(r.Text(), "\n")
	return &tool.Error{Code: tool.CodeExecution, Message: "the tool reports a failure: " + plaintext.Cut(first, MaxWords), Recoverable: true}
}

func ended(ctx context.Context) error {
	return tool.Ended(ctx, "the call ended before its result was read")
}

// blocks are the blocks of an answer, each still to be read.
type blocks []json.RawMessage

// errBlocks means that there are too many, of which none is kept.
var errBlocks = errors.New("too many blocks")

// UnmarshalJSON implements json.Unmarshaler.
func (b *blocks) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	start, err := d.Token()
	if start == nil || err != nil { // null is no block
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

// maxWarnings bounds the warnings about the blocks of one answer.
const maxWarnings = 10

// parseBlock reads one block, and whether it is for people only. What the protocol allows
// beside its contents is not for a model and left out.
func parseBlock(raw json.RawMessage) (block tool.Content, forPeople bool, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return block, false, errors.New("it is no JSON object")
	}
	var annotations struct {
		Audience []string `json:"audience"`
	}
	// Annotations of another form say nothing.
	_ = json.Unmarshal(fields["annotations"], &annotations)
	forPeople = slices.Equal(annotations.Audience, []string{"user"})
	var resource map[string]json.RawMessage
	if json.Unmarshal(fields["resource"], &resource) == nil && resource != nil {
		delete(resource, "_meta")
		if fields["resource"], err = json.Marshal(resource); err != nil {
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
	return block, forPeople, tool.Result{Content: []tool.Content{block}}.Check()
}

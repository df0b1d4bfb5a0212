package native

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Text makes a tool whose only parameter is the string "text" and whose result is a text block.
// Errors are the same as for [Define].
func Text(name, description string, fn func(ctx context.Context, text string) (string, error)) (tool.Spec, tool.Executor, error) {
	o := Options{Spec: tool.Spec{Name: name, Description: description}}
	if fn == nil {
		return tool.Spec{}, nil, nothingToExecute(o)
	}
	type input struct {
		Text string `json:"text" jsonschema:"The text."`
	}
	return Define(o, func(ctx context.Context, in input) (string, error) { return fn(ctx, in.Text) })
}

// Hit is a result of a search. Empty fields are left out.
type Hit struct {
	// Title is the name of the hit, in one line.
	Title string `json:"title"`
	// Location is a URL or a relative path.
	Location string `json:"location,omitempty"`
	// Text is an excerpt.
	Text string `json:"text,omitempty"`
}

// Default and maximum of the parameter "limit" of a search tool.
const (
	DefaultHits = 10
	MaxHits     = 100
)

// Search makes a tool that searches. Its parameters are "query", which must not be empty, and
// "limit", which is 1 to MaxHits and by default DefaultHits. Hits beyond the limit are left out,
// and the result says so. The structured result is {"hits": [...]}. Errors are the same as for
// [Define].
func Search(name, description string, fn func(ctx context.Context, query string, limit int) ([]Hit, error)) (tool.Spec, tool.Executor, error) {
	o := Options{Spec: tool.Spec{Name: name, Description: description, Parameters: json.RawMessage(fmt.Sprintf(searchParameters, DefaultHits, MaxHits))}}
	if fn == nil {
		return tool.Spec{}, nil, nothingToExecute(o)
	}
	o.Spec.Result = json.RawMessage(searchResult)
	type input struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	return Define(o, func(ctx context.Context, in input) (tool.Result, error) {
		hits, err := fn(ctx, in.Query, in.Limit)
		if err != nil {
			return tool.Result{}, err
		}
		return searchHits(hits, in.Limit)
	})
}

const searchParameters = `{"type":"object","required":["query"],"properties":{
	"query":{"type":"string","minLength":1,"description":"What to look for."},
	"limit":{"type":"integer","minimum":1,"default":%d,"maximum":%d,"description":"Return at most this many hits."}}}`

const searchResult = `{"type":"object","required":["hits"],"properties":{"hits":{"type":"array","items":{"type":"object",
	"required":["title"],"properties":{"title":{"type":"string"},"location":{"type":"string"},"text":{"type":"string"}}}}}}`

func searchHits(hits []Hit, limit int) (tool.Result, error) {
	found := len(hits)
	hits = append([]Hit{}, hits[:min(found, limit)]...) // not nil, which would be null in JSON
	var text strings.Builder
	for i, hit := range hits {
		fmt.Fprintf(&text, "%d. %s\n", i+1, hit.Title)
		for _, line := range strings.Split(strings.TrimSpace(hit.Location+"\n"+hit.Text), "\n") {
			if line != "" {
				fmt.Fprintf(&text, "   %s\n", line)
			}
		}
	}
	if found == 0 {
		text.WriteString("nothing was found\n")
	}
	result, err := tool.TextResult(text.String(), struct {
		Hits []Hit `json:"hits"`
	}{hits})
	result.Title = fmt.Sprintf("Found %d", found)
	if found > limit {
		result.Metadata = map[string]any{tool.MetaTruncated: true, "found": found}
		result.Content = append(result.Content, tool.TextContent(fmt.Sprintf("%d more were left out; raise limit or narrow the query", found-limit)))
	}
	return result, err
}

package websearch

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
)

// tavily is the Tavily API. The host adds the key as a bearer token.
type tavily struct{ base string }

func (tavily) name() string { return "Tavily" }

func (s tavily) search(ctx context.Context, c *client.Client, args Args) (found, error) {
	// The API has no pages, so request all results up to the end of the requested page, at most 20.
	const limit = 20
	wanted := int(args.Page) * int(args.MaxResults)
	if wanted > limit {
		return found{notes: []string{"the service returns at most 20 results for a query"}}, nil
	}
	body := map[string]any{"query": args.Query, "max_results": wanted, "search_depth": "basic"}
	if args.TimeRange != "" {
		body["time_range"] = args.TimeRange
	}
	text, err := json.Marshal(body)
	if err != nil {
		return found{}, err
	}
	r, err := request(http.MethodPost, s.base, "search", nil, text)
	if err != nil {
		return found{}, err
	}
	var answer struct {
		Answer  string `json:"answer"`
		Results []struct {
			Title     string `json:"title"`
			URL       string `json:"url"`
			Content   string `json:"content"`
			Published string `json:"published_date"`
		} `json:"results"`
	}
	if err := c.JSON(ctx, s.name(), r, &answer); err != nil {
		return found{}, err
	}
	f := found{answer: answer.Answer}
	for i, hit := range answer.Results {
		if i >= wanted-int(args.MaxResults) {
			f.results = append(f.results, result{hit.Title, hit.URL, hit.Content, hit.Published})
		}
	}
	f.more(len(answer.Results) >= wanted && wanted+int(args.MaxResults) <= limit, args)
	return f, nil
}

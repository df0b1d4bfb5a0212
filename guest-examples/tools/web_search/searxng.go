package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
)

// searxng is an instance of SearXNG, which needs no key.
type searxng struct{ base string }

func (searxng) name() string { return "SearXNG" }

func (s searxng) search(ctx context.Context, c *client.Client, args Args) (found, error) {
	query := url.Values{"q": {args.Query}, "format": {"json"}, "pageno": {strconv.Itoa(int(args.Page))}}
	if args.TimeRange != "" {
		query.Set("time_range", args.TimeRange)
	}
	r, err := request(http.MethodGet, s.base, "search", query, nil)
	if err != nil {
		return found{}, err
	}
	var answer struct {
		Answers []json.RawMessage `json:"answers"`
		Results []struct {
			Title     string `json:"title"`
			URL       string `json:"url"`
			Content   string `json:"content"`
			Published string `json:"publishedDate"`
		} `json:"results"`
		Unresponsive [][]string `json:"unresponsive_engines"`
	}
	err = c.JSON(ctx, s.name(), r, &answer)
	var status *client.StatusError
	if errors.As(err, &status) && status.Status == http.StatusForbidden && !status.Limited {
		return found{}, errors.New("SearXNG responded 403 Forbidden; its operator must allow the format json in settings.yml (search: formats)")
	}
	if err != nil {
		return found{}, err
	}
	f := found{answer: firstAnswer(answer.Answers)}
	for _, hit := range answer.Results {
		f.results = append(f.results, result{hit.Title, hit.URL, hit.Content, hit.Published})
	}
	if len(answer.Unresponsive) > 0 {
		var names []string
		for _, engine := range answer.Unresponsive {
			names = append(names, short(strings.Join(engine, ": ")))
		}
		f.notes = append(f.notes, "engines that did not respond: "+short(strings.Join(names, ", ")))
	}
	f.more(len(f.results) > int(args.MaxResults), args)
	return f, nil
}

// firstAnswer returns the first direct answer. An answer is a string in older versions of SearXNG
// and an object in newer versions.
func firstAnswer(answers []json.RawMessage) string {
	if len(answers) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(answers[0], &text) == nil {
		return text
	}
	var object struct {
		Answer string `json:"answer"`
	}
	if json.Unmarshal(answers[0], &object) == nil {
		return object.Answer
	}
	return ""
}

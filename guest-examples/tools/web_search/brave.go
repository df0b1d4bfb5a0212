package websearch

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
)

// brave is the Brave Search API. The host adds the key as X-Subscription-Token.
type brave struct{ base string }

func (brave) name() string { return "Brave Search" }

// braveRanges maps time ranges to Brave's names.
var braveRanges = map[string]string{"day": "pd", "week": "pw", "month": "pm", "year": "py"}

func (s brave) search(ctx context.Context, c *client.Client, args Args) (found, error) {
	query := url.Values{
		"q": {args.Query}, "count": {strconv.Itoa(int(args.MaxResults))}, "offset": {strconv.Itoa(int(args.Page) - 1)},
		"text_decorations": {"false"},
	}
	if freshness := braveRanges[args.TimeRange]; freshness != "" {
		query.Set("freshness", freshness)
	}
	r, err := request(http.MethodGet, s.base, "res/v1/web/search", query, nil)
	if err != nil {
		return found{}, err
	}
	var answer struct {
		Query struct {
			Altered string `json:"altered"`
			More    bool   `json:"more_results_available"`
		} `json:"query"`
		Web struct {
			Results []struct {
				Title       string `json:"title"`
				URL         string `json:"url"`
				Description string `json:"description"`
				Age         string `json:"age"`
			} `json:"results"`
		} `json:"web"`
	}
	if err := c.JSON(ctx, s.name(), r, &answer); err != nil {
		return found{}, err
	}
	var f found
	for _, hit := range answer.Web.Results {
		f.results = append(f.results, result{fromHTML(hit.Title), hit.URL, fromHTML(hit.Description), hit.Age})
	}
	if answer.Query.Altered != "" && answer.Query.Altered != args.Query {
		f.notes = append(f.notes, "the service searched for: "+short(answer.Query.Altered))
	}
	f.more(answer.Query.More, args)
	return f, nil
}

// more adds a note about the next page if the service has more results.
func (f *found) more(more bool, args Args) {
	if more && args.Page < MaxPage {
		f.notes = append(f.notes, "there are more results: page="+strconv.Itoa(int(args.Page)+1))
	}
}

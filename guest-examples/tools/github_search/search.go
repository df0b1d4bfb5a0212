// Package githubsearch implements the built-in tool github_search, which searches code,
// repositories, issues and pull requests on GitHub.
package githubsearch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

const (
	// DefaultResults is the number of results if max_results is not set.
	DefaultResults = 10
	// MaxResults is the maximum of max_results.
	MaxResults = 50
	// MaxReach is the maximum number of results, over all pages, that GitHub returns for a query.
	MaxReach = 1000
	// MaxQuery is the maximum length of a query in characters. GitHub has the same limit.
	MaxQuery = 256
	// service is the name of the service in messages.
	service = "GitHub"
)

// Args are the arguments of github_search.
type Args struct {
	// Type is the type of results: code, repositories, or issues, which include pull requests.
	Type string `json:"type"`
	// Query is in the syntax of GitHub's search, with qualifiers such as repo:owner/name.
	Query string `json:"query"`
	// Sort is an order that the type supports; empty means best match first.
	Sort string `json:"sort"`
	// MaxResults limits the results to return; 0 means DefaultResults.
	MaxResults toolabi.Int `json:"max_results"`
	// Page is the page of results, from 1; 0 means 1.
	Page toolabi.Int `json:"page"`
}

// kind is a type of results.
type kind struct {
	name string // singular
	// sorts are the orders that this type of results supports.
	sorts []string
	// show decodes an item, formats it for a model and returns it for programs.
	show func(item []byte, b *strings.Builder) (any, error)
}

// kinds are the types of results by name.
var kinds = map[string]kind{
	"code":         {name: "file", show: showCode},
	"repositories": {name: "repository", sorts: []string{"stars", "forks", "updated"}, show: showRepository},
	"issues":       {name: "issue", sorts: []string{"created", "updated", "comments", "reactions"}, show: showIssue},
}

// Run sends the search through the transport. The message of an error is written for a model.
func Run(ctx context.Context, transport http.RoundTripper, settings map[string]string, args Args) (guest.Result, error) {
	k, err := args.complete()
	if err != nil {
		return guest.Result{}, err
	}
	r, err := request(settings["api_url"], args)
	if err != nil {
		return guest.Result{}, err
	}
	var answer answer
	if err := client.New(transport).JSON(ctx, service, r, &answer); err != nil {
		return guest.Result{}, hint(err, settings)
	}
	return answer.show(k, args)
}

// complete checks the arguments and sets defaults.
func (a *Args) complete() (kind, error) {
	k, ok := kinds[a.Type]
	a.Query = strings.TrimSpace(a.Query)
	switch {
	case !ok:
		return k, fmt.Errorf(`the argument "type" is %q; write code, repositories or issues`, a.Type)
	case a.Query == "":
		return k, errors.New(`the argument "query" is empty; give words, and qualifiers such as repo:owner/name or language:go`)
	case len([]rune(a.Query)) > MaxQuery:
		return k, fmt.Errorf(`the argument "query" has more than %d characters, the limit of GitHub; use fewer words`, MaxQuery)
	}
	if a.Sort != "" && !contains(k.sorts, a.Sort) {
		if len(k.sorts) == 0 {
			return k, fmt.Errorf(`the argument "sort" is %q, but %s is always sorted by best match; omit sort`, a.Sort, a.Type)
		}
		return k, fmt.Errorf(`the argument "sort" is %q; for %s use %s, or omit it`, a.Sort, a.Type, strings.Join(k.sorts, ", "))
	}
	if a.MaxResults == 0 {
		a.MaxResults = DefaultResults
	}
	if a.MaxResults < 1 || a.MaxResults > MaxResults {
		return k, fmt.Errorf("max_results is %d; write a number from 1 to %d", a.MaxResults, MaxResults)
	}
	if a.Page == 0 {
		a.Page = 1
	}
	if a.Page < 1 || a.Page > MaxReach || (a.Page-1)*a.MaxResults >= MaxReach {
		return k, fmt.Errorf(`the argument "page" is %d; GitHub shows only the first %d results, so ask for an earlier page or narrow the query`, a.Page, MaxReach)
	}
	return k, nil
}

// request builds a request to the API. It has no token, because the host inserts the token.
func request(base string, args Args) (*http.Request, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, errors.New("the URL of GitHub's API is not set; the operator must set it in the setting api_url of github_search")
	}
	u = u.JoinPath("search", args.Type)
	query := url.Values{"q": {args.Query}, "per_page": {strconv.Itoa(int(args.MaxResults))}, "page": {strconv.Itoa(int(args.Page))}}
	if args.Sort != "" {
		query.Set("sort", args.Sort)
		query.Set("order", "desc")
	}
	u.RawQuery = query.Encode()
	r, err := http.NewRequest(http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/vnd.github.text-match+json")
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	return r, nil
}

// hint adds advice to errors of GitHub that are hard to understand.
func hint(err error, settings map[string]string) error {
	var status *client.StatusError
	if !errors.As(err, &status) {
		return err
	}
	switch {
	case status.Status == http.StatusUnauthorized && settings["login"] == "none":
		return fmt.Errorf("%w (code search needs a token: the operator must set login = \"token\")", err)
	case status.Status == http.StatusUnprocessableEntity:
		return fmt.Errorf("%w; check the qualifiers of the query, and that the repositories and users in them exist", err)
	}
	return err
}

func contains(list []string, text string) bool {
	for _, one := range list {
		if one == text {
			return true
		}
	}
	return false
}

// line converts a text from another source to one short line.
func line(text string) string {
	const limit = 300
	return plain.Line(text, limit)
}

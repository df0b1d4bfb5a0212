// Command web is the module of the built-in tools that talk to servers. Its first argument
// names the tool: web_fetch, web_search or github_search.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	sdk "github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest/guesthttp"

	githubsearch "github.com/wasmtool/wasmtool/guest-examples/github_search"
	"github.com/wasmtool/wasmtool/guest-examples/internal/guest"
	webfetch "github.com/wasmtool/wasmtool/guest-examples/web_fetch"
	websearch "github.com/wasmtool/wasmtool/guest-examples/web_search"
)

func main() {
	tools := map[string]guest.Tool{
		"web_fetch":     tool(webfetch.Run),
		"web_search":    tool(configured(websearch.Run)),
		"github_search": tool(configured(githubsearch.Run)),
	}
	guest.Run(tools)
}

// tool returns the tool that gives run what sends requests, and the decoded arguments.
func tool[Args any](run func(context.Context, http.RoundTripper, Args) (sdk.Result, error)) guest.Tool {
	decode := guest.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		result, err := run(context.Background(), guesthttp.Transport{}, args)
		if err != nil {
			return err
		}
		text, err := json.Marshal(result)
		if err == nil {
			_, err = out.Write(text)
		}
		return err
	}
}

// configured gives run the settings that the operator chose.
func configured[Args any](run func(context.Context, http.RoundTripper, map[string]string, Args) (sdk.Result, error)) func(context.Context, http.RoundTripper, Args) (sdk.Result, error) {
	return func(ctx context.Context, transport http.RoundTripper, args Args) (sdk.Result, error) {
		return run(ctx, transport, sdk.CurrentCall().Settings, args)
	}
}

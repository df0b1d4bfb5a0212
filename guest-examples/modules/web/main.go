// Command web is the module of the built-in tools that send HTTP requests. Its first argument
// names the tool: web_fetch, web_search or github_search.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	githubsearch "github.com/wasmtool/wasmtool/guest-examples/tools/github_search"
	webfetch "github.com/wasmtool/wasmtool/guest-examples/tools/web_fetch"
	websearch "github.com/wasmtool/wasmtool/guest-examples/tools/web_search"
	"github.com/wasmtool/wasmtool/guest/guesthttp"
)

func main() {
	tools := map[string]toolabi.Tool{
		"web_fetch":     tool(webfetch.Run),
		"web_search":    tool(configured(websearch.Run)),
		"github_search": tool(configured(githubsearch.Run)),
	}
	toolabi.Run(tools)
}

// tool returns a tool that decodes its arguments and passes them, with the transport for requests,
// to the function run.
func tool[Args any](run func(context.Context, http.RoundTripper, Args) (guest.Result, error)) toolabi.Tool {
	decode := toolabi.Decoder[Args]()
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

// configured adapts a function that also needs the operator's settings, for use with tool.
func configured[Args any](run func(context.Context, http.RoundTripper, map[string]string, Args) (guest.Result, error)) func(context.Context, http.RoundTripper, Args) (guest.Result, error) {
	return func(ctx context.Context, transport http.RoundTripper, args Args) (guest.Result, error) {
		return run(ctx, transport, guest.CurrentCall().Settings, args)
	}
}

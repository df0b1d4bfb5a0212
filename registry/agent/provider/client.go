package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/endpoint"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/sse"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// Limits of a request. The context limits the time; maxTime is for a context without a deadline.
const (
	maxRequest  = 32 << 20  // bytes
	maxResponse = 256 << 20 // bytes, as in llm.ReadStream
	maxTime     = 24 * time.Hour
)

// maxModel limits the name of a model, in bytes.
const maxModel = 200

// Options says which model answers, and how its provider is reached. Format and Model are required.
type Options struct {
	// Format is the provider's API.
	Format llm.Format
	// Model is the provider's name of the model, such as "gpt-5" or "claude-sonnet-4-5".
	Model string
	// BaseURL is the URL of the API with its version, such as "http://localhost:11434/v1". Empty
	// means the provider's own, which requires a Secret.
	BaseURL string
	// Private allows a private or loopback address of the host. It is not needed if BaseURL itself
	// names such a host, as in "http://localhost" or "http://192.168.1.5".
	Private bool
	// Secret is the key. Header and Prefix may be empty for the header that the provider expects;
	// Query and Basic must not be set. Without a Name, no key is sent.
	Secret capability.SecretUse
	// Secrets contains the value of Secret, which is read for each request.
	Secrets *secret.Store
	// HTTP makes the connections; see [egress.Transport]. Its Limits are not used.
	HTTP egress.Transport
}

// Client asks one model for messages. It implements agent.Model. It keeps no connection and no
// state between requests, and is safe for concurrent use. [New] creates it.
type Client struct {
	o        Options
	endpoint endpoint.Endpoint
	url      string // the endpoint's, with the query
	header   http.Header
	// label names the model in errors.
	label string
}

// New returns a Client. It makes no request. The error names the option that is wrong.
func New(o Options) (*Client, error) {
	a, err := apiOf(o.Format)
	switch {
	case err != nil:
		return nil, fmt.Errorf("provider: %w", err)
	case o.Model == "" || len(o.Model) > maxModel || !plaintext.Plain(o.Model, plaintext.Word):
		return nil, fmt.Errorf("provider %s: the name of the model must be printable text of 1 to %d bytes", o.Format, maxModel)
	}
	fail := func(what string, err error) (*Client, error) {
		return nil, fmt.Errorf("provider %s: %s: %w", o.Format, what, err)
	}
	base, err := endpoint.ParseURL(cmp.Or(o.BaseURL, a.base))
	if err != nil {
		return fail("base URL", err)
	}
	if err := o.checkSecret(a, base); err != nil {
		return fail("secret", err)
	}
	c := &Client{
		o:        o,
		endpoint: endpoint.Endpoint{Private: o.Private, Rule: "models", Secret: o.Secret, Secrets: o.Secrets, HTTP: o.HTTP},
	}
	c.header = http.Header{"Content-Type": {"application/json"}, "Accept": {sse.MediaType}}
	if o.Format == llm.Anthropic {
		c.header.Set("Anthropic-Version", "2023-06-01")
	}
	path := a.path
	if o.Format == llm.Gemini {
		path = "/models/" + url.PathEscape(strings.TrimPrefix(o.Model, "models/")) + path
	}
	c.endpoint.URL, err = endpoint.ParseURL(strings.TrimSuffix(base.String(), "/") + path)
	if err != nil {
		return fail("the model and the base URL make no valid URL", err)
	}
	c.url = c.URL() + a.query
	origin := strings.TrimSuffix(base.String(), base.Path())
	c.label = fmt.Sprintf("model %q at %s", o.Model, origin)
	return c, nil
}

// isOpenAI reports whether a host serves OpenAI's own models, also on Azure.
func isOpenAI(host string) bool {
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".azure.com")
}

// checkSecret sets the header of the secret, and checks that the secret exists and may be sent to
// the base URL.
func (o *Options) checkSecret(a api, base capability.URLPattern) error {
	use := &o.Secret
	switch {
	case use.Name == "" && o.BaseURL == "":
		return errors.New("is missing; name the secret that contains the key of the provider")
	case use.Name == "":
		return nil
	case use.Query != "" || use.Basic:
		return fmt.Errorf("%s: a key is sent only in a header; leave out query and basic", use.Name)
	case o.Secrets == nil || !o.Secrets.Exists(use.Name):
		return fmt.Errorf("%s: is not configured; give it a source", use.Name)
	case base.Scheme() == "http" && !o.Private && !base.NamesLocal():
		return fmt.Errorf("%s: the base URL is plain http, which would reveal the key; write https", use.Name)
	}
	if use.Header == "" {
		use.Header, use.Prefix = a.key, a.keyPrefix
	}
	return use.Validate()
}

// Format returns the format of the requests and responses.
func (c *Client) Format() llm.Format { return c.o.Format }

// URL returns the URL of the requests, without the query.
func (c *Client) URL() string { return c.endpoint.URL.String() }

// Stream asks for the model's next message. Each iteration over the result makes a new request,
// which ends when the iteration does or when ctx is done. The last chunk has End, unless Stream
// fails; then the last element is the error. The error is an [*Error] if there was no stream.
//
// A request is repeated up to 3 times as long as nothing has been received: if no connection was
// possible, or after the status 429 or a status of 500 or more. Stream waits as long as the
// provider asks, at most a minute, and otherwise for 1, 2 and 4 seconds.
func (c *Client) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		client, res, err := c.open(ctx, r)
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		defer client.Close()
		for chunk, err := range llm.ReadStream(c.o.Format, res.Body) {
			if err != nil {
				yield(llm.Chunk{}, fmt.Errorf("%s: %w", c.label, err))
				return
			}
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

// open makes the request, and repeats it where that helps. The caller must close the client, which
// also closes the body of the response.
func (c *Client) open(ctx context.Context, r llm.Request) (*egress.Client, *egress.Response, error) {
	r.Compatible = !isOpenAI(c.endpoint.URL.Host())
	body, err := c.o.Format.RequestBody(c.o.Model, r)
	if err != nil {
		return nil, nil, err
	}
	for retry := 0; ; retry++ {
		client := c.endpoint.Client(egress.Limits{RequestBytes: maxRequest, ResponseBytes: maxResponse, Time: maxTime})
		res, failed := c.try(ctx, client, body)
		if failed == nil {
			return client, res, nil
		}
		client.Close()
		if err := failed.wait(ctx, retry); err != nil {
			return nil, nil, err
		}
	}
}

// try makes the request once.
func (c *Client) try(ctx context.Context, client *egress.Client, body []byte) (*egress.Response, *Error) {
	res, err := client.Do(ctx, egress.Request{Method: http.MethodPost, URL: c.url, Header: c.header, Body: body, KeepRedirect: true})
	if err != nil {
		return nil, c.requestError(err)
	}
	media := res.Header.Get("Content-Type")
	switch {
	case res.Status != http.StatusOK:
		return nil, c.statusError(res)
	case !strings.HasPrefix(media, sse.MediaType) && !strings.HasPrefix(media, "application/json"):
		media = plaintext.OneLine(plaintext.Short(media, maxModel))
		return nil, c.newError(res.Status, fmt.Sprintf("answered with %q and not with a stream; check the base URL", media))
	}
	return res, nil
}

// api is how requests of one format are made.
type api struct {
	// base is the provider's own base URL. path and query follow the base URL; in Gemini, path
	// follows the name of the model.
	base, path, query string
	// key is the header that carries the key, after keyPrefix.
	key, keyPrefix string
}

// apis are the formats of model providers.
var apis = map[llm.Format]api{
	llm.OpenAI:          {"https://api.openai.com/v1", "/chat/completions", "", "Authorization", "Bearer "},
	llm.OpenAIResponses: {"https://api.openai.com/v1", "/responses", "", "Authorization", "Bearer "},
	llm.Mistral:         {"https://api.mistral.ai/v1", "/chat/completions", "", "Authorization", "Bearer "},
	llm.Anthropic:       {"https://api.anthropic.com/v1", "/messages", "", "X-Api-Key", ""},
	llm.Gemini:          {"https://generativelanguage.googleapis.com/v1beta", ":streamGenerateContent", "?alt=sse", "X-Goog-Api-Key", ""},
}

func apiOf(f llm.Format) (api, error) {
	_, err := llm.ParseFormat(string(f))
	a, ok := apis[f]
	if err == nil && !ok {
		err = fmt.Errorf("the format %s is not the format of a model provider", f)
	}
	return a, err
}

package provider_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/agent/provider"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// Each provider gets its path and its body, and the key only in its header.
func TestRequests(t *testing.T) {
	t.Parallel()
	for f, want := range map[llm.Format]struct{ url, header, value string }{
		llm.OpenAI:          {"/v1/chat/completions", "Authorization", "Bearer " + key},
		llm.OpenAIResponses: {"/v1/responses", "Authorization", "Bearer " + key},
		llm.Mistral:         {"/v1/chat/completions", "Authorization", "Bearer " + key},
		llm.Anthropic:       {"/v1/messages", "X-Api-Key", key},
		llm.Gemini:          {"/v1/models/m-1:streamGenerateContent?alt=sse", "X-Goog-Api-Key", key},
	} {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			var body []byte
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				http.Error(w, "no", http.StatusTeapot)
			}))
			defer web.Close()
			_, err := ask(t.Context(), client(t, withKey(f, web.URL+"/v1")))
			if err == nil || got == nil {
				t.Fatalf("no request: %v", err)
			}
			wantBody, bodyErr := f.RequestBody("m-1", llm.Request{Messages: []json.RawMessage{f.UserMessage("Hello")}, Compatible: true})
			if got.Method != http.MethodPost || got.RequestURI != want.url || got.Header.Get("Content-Type") != "application/json" ||
				got.Header.Get("Accept") != "text/event-stream" || string(body) != string(wantBody) || bodyErr != nil {
				t.Errorf("%s %s %v\n%s", got.Method, got.RequestURI, got.Header, body)
			}
			if f == llm.Anthropic && got.Header.Get("Anthropic-Version") != "2023-06-01" {
				t.Errorf("the version is %q", got.Header.Get("Anthropic-Version"))
			}
			for name, values := range got.Header {
				if has := strings.Contains(strings.Join(values, " "), key); has != (name == want.header) {
					t.Errorf("header %s is %q", name, values)
				}
			}
			if value := got.Header.Get(want.header); value != want.value {
				t.Errorf("%s is %q", want.header, value)
			}
			if strings.Contains(got.RequestURI+string(body)+err.Error(), key) {
				t.Errorf("the key is outside its header: %s %s %v", got.RequestURI, body, err)
			}
		})
	}
}

func TestRequestsToOtherServers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		base   string
		change func(*provider.Options)
		url    string
		header string // "NAME: VALUE"
	}{
		"path":                    {"/openai/v1/", func(*provider.Options) {}, "/openai/v1/chat/completions", "Authorization: Bearer " + key},
		"no path":                 {"", func(*provider.Options) {}, "/chat/completions", "Authorization: Bearer " + key},
		"another header":          {"/v1", func(o *provider.Options) { o.Secret.Header = "api-key" }, "/v1/chat/completions", "Api-Key: " + key},
		"no key":                  {"/v1", func(o *provider.Options) { o.Secret = capability.SecretUse{} }, "/v1/chat/completions", "Authorization: "},
		"name of a Gemini model":  {"/v1", func(o *provider.Options) { o.Format, o.Model = llm.Gemini, "models/m-2" }, "/v1/models/m-2:streamGenerateContent?alt=sse", "X-Goog-Api-Key: " + key},
		"characters of the model": {"/v1", func(o *provider.Options) { o.Format, o.Model = llm.Gemini, "a?b=c#d" }, "/v1/models/a%3Fb=c%23d:streamGenerateContent?alt=sse", "X-Goog-Api-Key: " + key},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r
				w.WriteHeader(http.StatusTeapot)
			}))
			defer web.Close()
			o := withKey(llm.OpenAI, web.URL+test.base)
			test.change(&o)
			if _, err := ask(t.Context(), client(t, o)); got == nil {
				t.Fatal(err)
			}
			header, value, _ := strings.Cut(test.header, ": ")
			if got.RequestURI != test.url || got.Header.Get(header) != value {
				t.Errorf("%s, %v", got.RequestURI, got.Header)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*provider.Options){
		`unknown format "anthropc"; did you mean anthropic?`:   func(o *provider.Options) { o.Format = "anthropc" },
		"the format mcp is not the format of a model provider": func(o *provider.Options) { o.Format = llm.MCP },
		"the name of the model":                                func(o *provider.Options) { o.Model = "" },
		"printable text":                                       func(o *provider.Options) { o.Model = "m\n1" },
		"base URL: the scheme":                                 func(o *provider.Options) { o.BaseURL = "ftp://models.example/v1" },
		"names no single host":                                 func(o *provider.Options) { o.BaseURL = "https://*.models.example/v1" },
		"the base URL is plain http, which would reveal":       func(o *provider.Options) { o.BaseURL = "http://models.example/v1" },
		"a name or password before the host":                   func(o *provider.Options) { o.BaseURL = "https://u:hunter2@models.example/v1" },
		"no query":                                             func(o *provider.Options) { o.BaseURL = "https://models.example/v1?key=hunter2" },
		"the model and the base URL make no valid URL":         func(o *provider.Options) { o.Format, o.Model = llm.Gemini, "a/../../b" },
		"secret: OTHER: is not configured":                     func(o *provider.Options) { o.Secret.Name = "OTHER" },
		"secret: MODEL_KEY: is not configured":                 func(o *provider.Options) { o.Secrets = nil },
		"a key is sent only in a header":                       func(o *provider.Options) { o.Secret.Query = "key" },
		"is set by the host":                                   func(o *provider.Options) { o.Secret.Header = "Host" },
		"secret: is missing": func(o *provider.Options) {
			o.BaseURL, o.Secret = "", capability.SecretUse{}
		},
	} {
		o := withKey(llm.OpenAI, "https://models.example/v1")
		change(&o)
		if _, err := provider.New(o); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestURLs(t *testing.T) {
	t.Parallel()
	for f, want := range map[llm.Format]string{
		llm.OpenAI:          "https://api.openai.com/v1/chat/completions",
		llm.OpenAIResponses: "https://api.openai.com/v1/responses",
		llm.Mistral:         "https://api.mistral.ai/v1/chat/completions",
		llm.Anthropic:       "https://api.anthropic.com/v1/messages",
		llm.Gemini:          "https://generativelanguage.googleapis.com/v1beta/models/m-1:streamGenerateContent",
	} {
		if got := client(t, withKey(f, "")).URL(); got != want {
			t.Errorf("%s: %s", f, got)
		}
	}
}

// A piece of the answer arrives while the provider still writes, also through the filter that hides
// the key and through compression.
func TestStreamArrivesBeforeItsEnd(t *testing.T) {
	t.Parallel()
	for _, compressed := range []bool{false, true} {
		t.Run(fmt.Sprint("compressed ", compressed), func(t *testing.T) {
			t.Parallel()
			seen := make(chan struct{})
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				var out io.Writer = w
				flush := w.(http.Flusher).Flush
				if compressed {
					w.Header().Set("Content-Encoding", "gzip")
					z := gzip.NewWriter(w)
					defer z.Close()
					out, flush = z, func() { _ = z.Flush(); w.(http.Flusher).Flush() }
				}
				for i := range 3 {
					_, _ = io.WriteString(out, event(fmt.Sprint(i)))
					flush()
					select {
					case <-seen:
					case <-r.Context().Done():
						return
					}
				}
				_, _ = io.WriteString(out, end)
			}))
			defer web.Close()
			c := client(t, withKey(llm.OpenAI, web.URL+"/v1"))
			var text string
			for chunk, err := range c.Stream(t.Context(), llm.Request{Messages: []json.RawMessage{c.Format().UserMessage("Hello")}}) {
				if err != nil {
					t.Fatal(err)
				}
				if text += chunk.Text; chunk.Text != "" {
					seen <- struct{}{}
				}
			}
			if text != "012" {
				t.Errorf("got %q", text)
			}
		})
	}
}

// The chunks of each provider pass through the client as package llm reads them.
func TestStreamsOfAllProviders(t *testing.T) {
	t.Parallel()
	formats := map[llm.Format]int{}
	paths, err := filepath.Glob("../../llm/testdata/streams/*.sse")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		stream, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f llm.Format // the longest one that the name begins with
		for _, known := range llm.Formats() {
			if strings.HasPrefix(filepath.Base(path), string(known)+"-") && len(known) > len(f) {
				f = known
			}
		}
		formats[f]++
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(stream)
		}))
		var want, got []llm.Chunk
		var wantErr, gotErr error
		for c, err := range llm.ReadStream(f, bytes.NewReader(stream)) {
			want, wantErr = append(want, c), err
		}
		c := client(t, withKey(f, web.URL))
		for c, err := range c.Stream(t.Context(), llm.Request{Messages: []json.RawMessage{f.UserMessage("Hello")}}) {
			got, gotErr = append(got, c), err
		}
		web.Close()
		if !reflect.DeepEqual(got, want) || (gotErr == nil) != (wantErr == nil) || gotErr != nil && !strings.HasSuffix(gotErr.Error(), wantErr.Error()) {
			t.Errorf("%s: got %v, %v, want %v, %v", path, got, gotErr, want, wantErr)
		}
	}
	if len(formats) != 5 {
		t.Errorf("streams of %v", formats)
	}
}

// A compatible server may ignore that a stream was asked for.
func TestServerThatDoesNotStream(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}`)
	}))
	defer web.Close()
	if text, err := ask(t.Context(), client(t, withKey(llm.OpenAI, web.URL))); err != nil || text != "Hi." {
		t.Errorf("got %q, %v", text, err)
	}
}

// A server that repeats the key, in an answer or in an error, does not reveal it to the caller.
func TestKeyIsHidden(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter){
		"answer": func(w http.ResponseWriter) { streams(w, "It is "+key+"!") },
		"answer in two writes": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			before, after, _ := strings.Cut(event("It is "+key+"!"), key[7:])
			_, _ = io.WriteString(w, before)
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, key[7:]+after+end)
		},
		"error": func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"bad key `+key+`"}}`, http.StatusBadRequest)
		},
		"type of content": func(w http.ResponseWriter) { w.Header().Set("Content-Type", key) },
		"unauthorized": func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"bad key `+key[:8]+"****"+key[len(key)-4:]+`"}}`, http.StatusUnauthorized)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
			defer web.Close()
			text, err := ask(t.Context(), client(t, withKey(llm.OpenAI, web.URL+"/v1")))
			got := fmt.Sprintf("%s %v %+v", text, err, err)
			if strings.Contains(got, key[:8]) || strings.Contains(got, key[len(key)-4:]) || !strings.Contains(got, "MODEL_KEY") {
				t.Error(got)
			}
		})
	}
}

// A redirect is not followed, so no other server gets the conversation or the key.
func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("a request to %s", r.URL) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, target := range []string{other.URL + "/v1/chat/completions", "/elsewhere"} {
			requests := 0
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				http.Redirect(w, r, target, status)
			}))
			_, err := ask(t.Context(), client(t, withKey(llm.OpenAI, web.URL+"/v1")))
			web.Close()
			if failed := (*provider.Error)(nil); !errors.As(err, &failed) || failed.Status != status || !strings.Contains(err.Error(), "redirects are not followed") || requests != 1 {
				t.Errorf("%d to %s: %v after %d requests", status, target, err, requests)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil { // without an end
			_, _ = io.WriteString(w, event(strings.Repeat("more", 1<<16)))
		}
	}))
	defer web.Close()
	o := withKey(llm.OpenAI, web.URL+"/v1")
	text, err := ask(t.Context(), client(t, o))
	if err == nil || !strings.Contains(err.Error(), "longer than 16 MiB") || text == "" || len(text) > 20<<20 {
		t.Errorf("endless response: %d bytes, %v", len(text), err)
	}
	c := client(t, o)
	for _, err = range c.Stream(t.Context(), llm.Request{Messages: []json.RawMessage{c.Format().UserMessage(strings.Repeat("a", 33<<20))}}) {
		if err == nil {
			t.Error("a large request was sent")
		}
	}
	if err == nil || !strings.Contains(err.Error(), "the body of the request is larger than") {
		t.Errorf("large request: %v", err)
	}
}

// The request ends as soon as its context is done or the caller stops reading.
func TestStopInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, cancels := range []bool{false, true} {
		gone := make(chan struct{})
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(gone)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, event("first"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		c := client(t, withKey(llm.OpenAI, web.URL+"/v1"))
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		for _, err := range c.Stream(ctx, llm.Request{Messages: []json.RawMessage{c.Format().UserMessage("Hello")}}) {
			if last = err; !cancels {
				break
			}
			cancel()
		}
		<-gone
		cancel()
		web.Close()
		if cancels != errors.Is(last, context.Canceled) {
			t.Errorf("cancelled %v: %v", cancels, last)
		}
	}
}

package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/agent/provider"
)

// answer is a status with headers. The status 200 answers with a stream.
type answer struct {
	status  int
	headers []string // "NAME: VALUE"
}

func (a answer) write(w http.ResponseWriter) {
	for _, h := range a.headers {
		name, value, _ := strings.Cut(h, ": ")
		if after, ok := strings.CutPrefix(value, "in "); ok {
			d, _ := time.ParseDuration(after)
			value = time.Now().Add(d).UTC().Format(http.TimeFormat)
		}
		w.Header().Set(name, value)
	}
	if a.status == http.StatusOK {
		streams(w, "ok")
		return
	}
	http.Error(w, `{"error":{"message":"try later"}}`, a.status)
}

func TestRetries(t *testing.T) {
	t.Parallel()
	ok := answer{status: 200}
	fails := func(status int, headers ...string) answer { return answer{status, headers} }
	for name, test := range map[string]struct {
		refused int // connections
		answers []answer
		waited  time.Duration
		status  int // of the error; 0 for success
	}{
		"no failure":                     {answers: []answer{ok}},
		"rate limit":                     {answers: []answer{fails(429), ok}, waited: time.Second},
		"backoff":                        {answers: []answer{fails(500), fails(503), fails(529), ok}, waited: 7 * time.Second},
		"three retries at most":          {answers: []answer{fails(500), fails(502), fails(503), fails(504)}, waited: 7 * time.Second, status: 504},
		"seconds":                        {answers: []answer{fails(429, "Retry-After: 20"), ok}, waited: 20 * time.Second},
		"part of a second":               {answers: []answer{fails(429, "Retry-After: 0.5"), ok}, waited: 500 * time.Millisecond},
		"no wait, as without the header": {answers: []answer{fails(503, "Retry-After: 0"), ok}, waited: time.Second},
		"milliseconds":                   {answers: []answer{fails(429, "Retry-After-Ms: 150", "Retry-After: 9"), ok}, waited: 150 * time.Millisecond},
		"date":                           {answers: []answer{fails(503, "Retry-After: in 30s"), ok}, waited: 30 * time.Second},
		"date in the past":               {answers: []answer{fails(503, "Retry-After: in -1h"), ok}, waited: time.Second},
		"date that is no date":           {answers: []answer{fails(503, "Retry-After: soon"), ok}, waited: time.Second},
		"negative":                       {answers: []answer{fails(503, "Retry-After: -5"), ok}, waited: time.Second},
		"not a number":                   {answers: []answer{fails(503, "Retry-After: NaN"), ok}, waited: time.Second},
		"too large a number":             {answers: []answer{fails(503, "Retry-After: 1e300"), ok}, waited: time.Second},
		"a minute":                       {answers: []answer{fails(429, "Retry-After: 60"), ok}, waited: time.Minute},
		"more than a minute":             {answers: []answer{fails(429, "Retry-After: 61")}, status: 429},
		"bad request":                    {answers: []answer{fails(400)}, status: 400},
		"bad key":                        {answers: []answer{fails(401, "Retry-After: 1")}, status: 401},
		"unknown model":                  {answers: []answer{fails(404)}, status: 404},
		"then another error":             {answers: []answer{fails(503), fails(400)}, waited: time.Second, status: 400},
		"no connection":                  {refused: 2, answers: []answer{ok}, waited: 3 * time.Second},
		"no connection, then a limit":    {refused: 1, answers: []answer{fails(429), ok}, waited: 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				n := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					if requests++; requests > len(test.answers) {
						t.Errorf("request %d", requests)
						return
					}
					test.answers[requests-1].write(w)
				})
				n.refusals = test.refused
				begin := time.Now()
				text, err := ask(t.Context(), client(t, n.options("http://localhost/v1")))
				var failed *provider.Error
				switch {
				case test.status == 0 && (err != nil || text != "ok"):
					t.Errorf("got %q, %v", text, err)
				case test.status != 0 && (!errors.As(err, &failed) || failed.Status != test.status):
					t.Errorf("got %v, want the status %d", err, test.status)
				}
				if waited := time.Since(begin); waited != test.waited || requests != len(test.answers) {
					t.Errorf("waited %v for %d requests, want %v", waited, requests, test.waited)
				}
			})
		})
	}
}

// A response that has begun is never asked for again: its first part may already be shown.
func TestNoRetryAfterTheFirstChunk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		n := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, event("first"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler) // closes the connection
		})
		text, err := ask(t.Context(), client(t, n.options("http://localhost/v1")))
		if text != "first" || err == nil || errors.Is(err, errNoEnd) || requests != 1 {
			t.Errorf("got %q, %v after %d requests", text, err, requests)
		}
	})
}

// A request that may have reached the provider is not sent again, because it may cost again.
func TestNoRetryAfterTheRequestWasSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		n := serve(t, func(http.ResponseWriter, *http.Request) {
			requests++
			panic(http.ErrAbortHandler)
		})
		if _, err := ask(t.Context(), client(t, n.options("http://localhost/v1"))); err == nil || requests != 1 {
			t.Errorf("%v after %d requests", err, requests)
		}
	})
}

func TestNoRetryAfterTheContextEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limit, cancel time.Duration // 0 is never
		waited        time.Duration
		is            error
	}{
		"cancelled while it waits": {cancel: 5 * time.Second, waited: 5 * time.Second, is: context.Canceled},
		"deadline before the wait": {limit: 5 * time.Second}, // fails at once
		"enough time":              {limit: time.Minute, waited: 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				n := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					if requests++; requests == 1 {
						answer{429, []string{"Retry-After: 20"}}.write(w)
						return
					}
					answer{status: 400}.write(w)
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.limit > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.limit)
					defer cancel()
				}
				if test.cancel > 0 {
					time.AfterFunc(test.cancel, cancel)
				}
				begin := time.Now()
				_, err := ask(ctx, client(t, n.options("http://localhost/v1")))
				if waited := time.Since(begin); err == nil || waited != test.waited || !strings.Contains(err.Error(), "try later") || test.is != nil && !errors.Is(err, test.is) {
					t.Errorf("%v after %v", err, waited)
				}
			})
		})
	}
}

// A server that refuses the request but never ends its response delays the error only shortly.
func TestEndlessErrorBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, "too long")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		begin := time.Now()
		_, err := ask(t.Context(), client(t, n.options("http://localhost/v1")))
		if waited := time.Since(begin); err == nil || !strings.Contains(err.Error(), "too long") || waited > time.Minute {
			t.Errorf("%v after %v", err, waited)
		}
	})
}

// Only a base URL that names a private host, or Private, leads to a private address. The address is
// checked for each request, so that a name cannot change its address between two.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	const public = "93.184.216.34"
	for name, test := range map[string]struct {
		base      string
		private   bool
		addresses [][]string
		dialled   string
		want      string // in the error; empty for success
	}{
		"localhost":            {base: "http://localhost:11434/v1", addresses: [][]string{{"127.0.0.1"}}, dialled: "[127.0.0.1:11434]"},
		"private address":      {base: "http://192.168.1.5:8000/v1", dialled: "[192.168.1.5:8000]"},
		"public name":          {base: "http://models.example/v1", addresses: [][]string{{public}}, dialled: "[" + public + ":80]"},
		"private name":         {base: "http://gpu.internal/v1", addresses: [][]string{{"10.0.0.7"}}, dialled: "[]", want: "to allow a private address, set Private"},
		"private name allowed": {base: "http://gpu.internal/v1", private: true, addresses: [][]string{{"10.0.0.7"}}, dialled: "[10.0.0.7:80]"},
		"both":                 {base: "http://models.example/v1", addresses: [][]string{{"127.0.0.1", public}}, dialled: "[" + public + ":80]"},
		"metadata service":     {base: "http://gpu.internal/v1", private: true, addresses: [][]string{{"169.254.169.254"}}, dialled: "[]", want: "metadata service"},
		"changes its address":  {base: "http://busy.example/v1", addresses: [][]string{{public}, {"127.0.0.1"}}, dialled: "[" + public + ":80]", want: "private or loopback"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if r.Host == "busy.example" {
						w.WriteHeader(http.StatusServiceUnavailable)
						return
					}
					streams(w, "ok")
				})
				n.addresses = test.addresses
				o := n.options(test.base)
				o.Private = test.private
				_, err := ask(t.Context(), client(t, o))
				if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || fmt.Sprint(n.dialled) != test.dialled {
					t.Errorf("%v, dialled %v", err, n.dialled)
				}
			})
		})
	}
}

// The limit on tokens has the name that the server knows: OpenAI's own models, also on Azure, know
// another one than compatible servers.
func TestNameOfTheLimit(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://api.openai.com/v1":             "max_completion_tokens",
		"http://eu.api.openai.com/v1":          "max_completion_tokens",
		"http://acme.openai.azure.com/v1":      "max_completion_tokens",
		"http://localhost:11434/v1":            "max_tokens",
		"http://api.openai.com.models.example": "max_tokens",
		"http://models.example/api.openai.com": "max_tokens",
	} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var body map[string]any
				n := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
						t.Error(err)
					}
					streams(w, "ok")
				})
				n.addresses = [][]string{{"127.0.0.1"}}
				o := n.options(base)
				o.Private = true
				if _, err := ask(t.Context(), client(t, o)); err != nil || body[want] == nil || len(body) != 5 {
					t.Errorf("%v: %v", err, body)
				}
			})
		})
	}
}

// Errors show the provider's own message in each form, and say what to check.
func TestErrors(t *testing.T) {
	t.Parallel()
	const at = `model "m-1" at http://localhost answered with the status `
	for name, test := range map[string]struct {
		status     int
		body, want string
		key        bool
	}{
		"OpenAI":       {status: 400, body: `{"error":{"message":"Unknown field.","type":"x"}}`, want: at + "400 (Unknown field.)"},
		"Anthropic":    {status: 400, body: `{"type":"error","error":{"type":"x","message":"Too long."},"request_id":"1"}`, want: at + "400 (Too long.)"},
		"Gemini":       {status: 400, body: `[{"error":{"code":400,"message":"No such field.","status":"X"}}]`, want: at + "400 (No such field.)"},
		"Mistral":      {status: 422, body: `{"object":"error","message":{"detail":[{"loc":["body","x"]}]}}`, want: at + `422 ([{"loc":["body","x"]}])`},
		"vLLM":         {status: 400, body: `{"object":"error","message":"Bad model."}`, want: at + "400 (Bad model.)"},
		"text":         {status: 400, body: `{"error":"plain"}`, want: at + "400 (plain)"},
		"not JSON":     {status: 400, body: "bad\nrequest\x1b[31m", want: at + `400 (bad\nrequest\x1b[31m)`},
		"web page":     {status: 400, body: "<html>no</html>", want: at + "400"},
		"empty":        {status: 413, want: at + "413"},
		"long":         {status: 400, body: strings.Repeat("x", 100_000), want: at + "400 (" + strings.Repeat("x", 300) + "...)"},
		"deep":         {status: 400, body: strings.Repeat(`{"error":`, 5000) + "1" + strings.Repeat("}", 5000), want: at + "400 (" + strings.Repeat(`{"error":`, 34)[:300] + "...)"},
		"no key":       {status: 401, body: `{"error":"who?"}`, want: at + "401; it needs a key: name a secret"},
		"bad key":      {status: 401, body: `{"error":"who?"}`, want: at + "401; check that the secret MODEL_KEY is a valid key", key: true},
		"forbidden":    {status: 403, body: `{"error":"not yours"}`, want: at + "403 (not yours); check what the key in the secret MODEL_KEY may do", key: true},
		"not found":    {status: 404, body: `{"error":"no m-1"}`, want: at + "404 (no m-1); check the name of the model, and that the base URL ends with the version of the API, such as /v1"},
		"no stream":    {status: 200, body: `{"choices":[]}`, want: `model "m-1" at http://localhost answered with "text/plain; charset=utf-8" and not with a stream; check the base URL`},
		"partial":      {status: 202, want: at + "202"},
		"later, later": {status: 429, body: `{"error":{"message":"out of quota"}}`, want: at + "429 (out of quota); try again in 2h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Retry-After", "7200")
					w.WriteHeader(test.status)
					_, _ = io.WriteString(w, test.body)
				})
				o := n.options("http://localhost/v1")
				if test.key {
					o.Secret, o.Secrets = capability.SecretUse{Name: "MODEL_KEY"}, secrets()
				}
				if _, err := ask(t.Context(), client(t, o)); err == nil || err.Error() != test.want {
					t.Errorf("\n got %v\nwant %s", err, test.want)
				}
			})
		})
	}
}

// A key that cannot be read is named, and no request is made without it.
func TestKeyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request without the key") })
		o := n.options("http://localhost/v1")
		o.Secret, o.Secrets = capability.SecretUse{Name: "BROKEN"}, secrets()
		if _, err := ask(t.Context(), client(t, o)); err == nil || !strings.Contains(err.Error(), "secret BROKEN (test): is not set here") {
			t.Error(err)
		}
	})
}

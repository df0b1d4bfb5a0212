package examples

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/manifests"
)

// maxUnanswered limits the requests without an answer that a report lists.
const maxUnanswered = 5

// answers gives the answers of an example to requests. Each answer serves one request: the first
// request that fits it, so that the order of concurrent requests makes no difference.
type answers struct {
	list   []manifests.ExampleRequest
	test   map[string]string // test secrets, by name
	secret []string          // query parameters that hold secrets
	hide   *secret.Scrubber  // hides the test secrets

	mu         sync.Mutex
	used       []bool
	unanswered []string // a description of each request without an answer
}

func newAnswers(m *manifests.Manifest, e manifests.Example) *answers {
	a := &answers{list: slices.Clone(e.HTTP), test: e.Secrets, secret: secretParameters(m), hide: secret.NewScrubber(e.Secrets), used: make([]bool, len(e.HTTP))}
	for i := range a.list {
		if u, err := url.Parse(a.list[i].URL); err == nil { // the manifest has a valid URL
			a.list[i].URL = withoutSecrets(u, a.secret)
		}
	}
	return a
}

// secrets returns a store of the test secrets.
func (a *answers) secrets() *secret.Store {
	sources := make(map[string]secret.Source)
	for name, value := range a.test {
		sources[name] = secret.FromFunc("example", func() (string, error) { return value, nil })
	}
	return secret.New(sources, secret.Options{})
}

// ServeHTTP answers a request, or closes its connection if there is no answer.
func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // package egress limits the body
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	answer := a.find(r, string(body))
	if answer == nil {
		panic(http.ErrAbortHandler)
	}
	h := w.Header()
	h["Date"], h["Content-Type"] = nil, nil // otherwise the server adds its own
	if answer.Body.JSON {
		h.Set("Content-Type", "application/json")
	}
	for name, value := range answer.Headers {
		h.Set(name, value)
	}
	w.WriteHeader(answer.Status)
	_, _ = io.WriteString(w, answer.Body.Text) // fails if the tool does not read the body
}

// find returns the answer to a request, which it marks as used. It notes a request without answer.
func (a *answers) find(r *http.Request, body string) *manifests.ExampleRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	target, problem := urlOf(r, a.secret), ""
	for i := range a.list {
		answer := &a.list[i]
		switch {
		case answer.Method != r.Method || answer.URL != target:
		case a.used[i]:
			problem = fmt.Sprintf("the tool sends %s %s more often than the example answers it; repeat the entry:\n", r.Method, target)
		default:
			differences := sends(answer, r, body)
			if differences == "" {
				a.used[i] = true
				return answer
			}
			problem = fmt.Sprintf("http[%d] answers %s %s, but the request differs (- expected, + got):\n%s\nto answer this request as well, add:\n", i, r.Method, target, differences)
		}
	}
	if problem == "" {
		problem = "the example has no answer for a request of the tool; add:\n"
	}
	problem = a.hide.Text(problem + entry(manifests.ExampleRequest{Method: r.Method, URL: target, Status: http.StatusOK}))
	if len(a.unanswered) < maxUnanswered && !slices.Contains(a.unanswered, problem) {
		a.unanswered = append(a.unanswered, problem)
	}
	return nil
}

// sends returns how a request differs from the request that an answer is for, or "".
func sends(answer *manifests.ExampleRequest, r *http.Request, body string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(answer.SendsHeaders)) {
		if got := strings.Join(r.Header.Values(name), ", "); got != answer.SendsHeaders[name] {
			lines = append(lines, fmt.Sprintf("- %[1]s: %[2]s\n+ %[1]s: %[3]s", name, answer.SendsHeaders[name], got))
		}
	}
	if want := answer.SendsBody; want.Set && want.Text != body && !(want.JSON && sameJSON(want.Text, body)) {
		lines = append(lines, differing(want.Text, body))
	}
	return strings.Join(lines, "\n")
}

// sameJSON reports whether two texts are the same JSON value.
func sameJSON(a, b string) bool {
	x, errX := jsontree.Parse(a, jsontree.Document("the body"))
	y, errY := jsontree.Parse(b, jsontree.Document("the body"))
	return errX == nil && errY == nil && string(x.Key()) == string(y.Key())
}

// report adds the requests without an answer to o and reports whether there are any.
func (a *answers) report(o *Outcome) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, problem := range a.unanswered {
		o.fail("%s", problem)
	}
	return len(a.unanswered) > 0
}

// reportUnused adds the answers that no request has used to o.
func (a *answers) reportUnused(o *Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, answer := range a.list {
		if !a.used[i] {
			o.fail("http[%d] was not used: the tool did not send %s %s; remove the entry", i, answer.Method, answer.URL)
		}
	}
}

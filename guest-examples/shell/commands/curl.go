package commands

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/shell/printf"
)

// Exit statuses of curl.
const (
	curlProtocol  = 1
	curlUsage     = 2
	curlMalformed = 3
	curlConnect   = 7
	curlHTTP      = 22
	curlWrite     = 23
	curlRead      = 26
	curlTimeout   = 28
	curlRedirects = 47
	curlEncoding  = 61
)

// curlSpec returns the specification of curl. Requests go through transport; nil means no network.
func curlSpec(transport http.RoundTripper) spec {
	return spec{
		name: "curl", synopsis: "[OPTION]... URL...", usage: curlUsage,
		options: "s,silent S,show-error o,output: O,remote-name L,location I,head i,include X,request: H,header: d,data: data-raw: data-binary: " +
			"data-urlencode: json: G,get f,fail fail-with-body w,write-out: u,user: A,user-agent: e,referer: b,cookie: m,max-time: " +
			"connect-timeout: max-redirs: compressed k,insecure v,verbose retry: url: create-dirs F,form: T,upload-file: x,proxy: N,no-buffer 4 6 g,globoff",
		note: "curl can connect only to servers that the operator grants, and the host inserts secrets. -k, -F, -T and -x are refused.",
		run: func(p *process, o options, urls []string) int {
			c := &curl{p: p, o: o, transport: transport}
			return c.run(append(o.values("url"), urls...))
		},
	}
}

// curl is one run of the command curl.
type curl struct {
	p         *process
	o         options
	transport http.RoundTripper
	redirects int // number of redirects followed for the current URL
}

// failure is an error with the exit status that curl has for it.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func failed(status int, format string, args ...any) *failure {
	return &failure{status, fmt.Sprintf(format, args...)}
}

func (c *curl) run(urls []string) int {
	for _, refused := range []string{"k", "F", "T", "x"} {
		if c.o.has(refused) {
			c.p.errorf("-%s is not supported, because the host makes the connections; to send a file, use -d @FILE", refused)
			return curlUsage
		}
	}
	if len(urls) == 0 {
		c.p.errorf("no URL specified; usage: curl [OPTION]... URL...")
		return curlUsage
	}
	status := 0
	for _, address := range urls {
		if c.p.stopped() {
			break
		}
		var f *failure
		if err := c.fetch(address); errors.As(err, &f) {
			if status = f.status; !c.o.has("s") || c.o.has("S") {
				c.p.errorf("(%d) %s", f.status, f.text)
			}
		}
	}
	return status
}

func (c *curl) fetch(address string) error {
	ctx := c.p.ctx
	if c.o.has("m") {
		limit, ok := parseDuration(c.o.value("m", ""))
		if !ok {
			return failed(curlUsage, "expected a number of seconds for -m, got '%s'", c.o.value("m", ""))
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	start := time.Now()
	request, response, err := c.attempts(ctx, address)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if c.o.has("f") && response.StatusCode >= 400 {
		c.writeOut(response, 0, time.Since(start))
		return failed(curlHTTP, "The requested URL returned error: %d", response.StatusCode)
	}
	size, err := c.output(request, response)
	if err != nil {
		return err
	}
	c.writeOut(response, size, time.Since(start))
	if c.o.has("fail-with-body") && response.StatusCode >= 400 {
		return failed(curlHTTP, "The requested URL returned error: %d", response.StatusCode)
	}
	return nil
}

// request returns the first request for a URL. It also returns the body, which redirected
// requests may need again.
func (c *curl) request(ctx context.Context, address string) (*http.Request, []byte, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, nil, failed(curlMalformed, "URL rejected: %s", clip(address, 200))
	}
	if _, rest, _ := strings.Cut(address, "://"); !c.o.has("g") && strings.ContainsAny(rest[strings.IndexAny(rest+"/", "/?"):], "{}[]") {
		return nil, nil, failed(curlMalformed, "URLs with patterns such as [1-3] and {a,b} are not supported; use a loop, or -g for the characters themselves")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, failed(curlProtocol, "Protocol \"%s\" not supported; use http or https", u.Scheme)
	}
	body, contentType, err := c.body()
	if err != nil {
		return nil, nil, err
	}
	method := http.MethodGet
	switch {
	case c.o.has("I"):
		method = http.MethodHead
	case body != nil && c.o.has("G"):
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+string(body), "&")
		body = nil
	case body != nil:
		method = http.MethodPost
	}
	method = c.o.value("X", method)
	login := u.User
	u.User = nil
	request, err := newRequest(ctx, method, u, body)
	if err != nil {
		return nil, nil, err
	}
	c.setHeaders(request, login, contentType)
	return request, body, nil
}

func newRequest(ctx context.Context, method string, u *url.URL, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, failed(curlMalformed, "%v", err)
	}
	return request, nil
}

// body joins the data of all -d and similar options. A nil body means that there are no such
// options.
func (c *curl) body() (body []byte, contentType string, err error) {
	add := func(data []byte, separator string) {
		if body != nil {
			body = append(body, separator...)
		} else {
			body = []byte{}
		}
		body = append(body, data...)
	}
	for _, opt := range c.o {
		data, name := []byte(opt.value), ""
		switch opt.name {
		case "d", "data-binary", "json":
			if file, ok := strings.CutPrefix(opt.value, "@"); ok {
				name = file
			}
		case "data-raw":
		case "data-urlencode":
			data = []byte(encodeData(opt.value))
		default:
			continue
		}
		if name != "" {
			if data, err = c.p.readFile(name); err != nil {
				return nil, "", failed(curlRead, "Failed to open %s: %s", name, message(err))
			}
			if opt.name == "d" {
				data = withoutBreaks(data)
			}
		}
		if contentType == "" {
			contentType = "application/x-www-form-urlencoded"
		}
		separator := "&"
		if opt.name == "json" {
			contentType, separator = "application/json", ""
		}
		add(data, separator)
	}
	return body, contentType, nil
}

// withoutBreaks removes line breaks, as curl does for -d @FILE.
func withoutBreaks(data []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\n"), nil), []byte("\r"), nil)
}

// encodeData encodes NAME=TEXT or TEXT as in an HTML form.
func encodeData(text string) string {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok:
		return url.QueryEscape(text)
	case name == "":
		return url.QueryEscape(value)
	}
	return name + "=" + url.QueryEscape(value)
}

func (c *curl) setHeaders(request *http.Request, login *url.Userinfo, contentType string) {
	request.Header.Set("Accept", "*/*")
	request.Header.Set("User-Agent", c.o.value("A", "curl/8.0 (wasmtool)"))
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if contentType == "application/json" {
		request.Header.Set("Accept", "application/json")
	}
	switch {
	case c.o.has("u"):
		user, password, _ := strings.Cut(c.o.value("u", ""), ":")
		request.SetBasicAuth(user, password)
	case login != nil:
		password, _ := login.Password()
		request.SetBasicAuth(login.Username(), password)
	}
	if c.o.has("compressed") {
		request.Header.Set("Accept-Encoding", "gzip")
	}
	if c.o.has("e") {
		request.Header.Set("Referer", c.o.value("e", ""))
	}
	if cookie := c.o.value("b", ""); strings.Contains(cookie, "=") {
		request.Header.Set("Cookie", cookie)
	}
	given := map[string]bool{}
	for _, line := range c.o.values("H") {
		name, value, ok := strings.Cut(line, ":")
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		value = strings.TrimSpace(value)
		switch {
		case !ok && strings.HasSuffix(line, ";"):
			request.Header[http.CanonicalHeaderKey(strings.TrimSuffix(line, ";"))] = []string{""}
		case !ok:
		case value == "":
			request.Header.Del(name)
		case given[name]:
			request.Header.Add(name, value)
		default:
			request.Header.Set(name, value)
		}
		given[name] = true
	}
}

// output writes the response to its destination.
func (c *curl) output(request *http.Request, response *http.Response) (int64, error) {
	var head bytes.Buffer
	if c.o.has("I") || c.o.has("i") {
		fmt.Fprintf(&head, "HTTP/1.1 %s\r\n", response.Status)
		_ = response.Header.Write(&head) // writing to a buffer never fails
		head.WriteString("\r\n")
	}
	name := c.o.value("o", "")
	if c.o.has("O") {
		if name = path.Base(request.URL.Path); name == "/" || name == "." {
			return 0, failed(curlWrite, "Remote file name has no length")
		}
	}
	counted := &countingReader{r: response.Body}
	var text io.Reader = counted
	if c.o.has("compressed") && response.Header.Get("Content-Encoding") == "gzip" && request.Method != http.MethodHead {
		plain, err := gzip.NewReader(counted)
		if err != nil {
			return 0, failed(curlEncoding, "Error while processing content unencoding: %v", err)
		}
		text = &boundedReader{r: plain, left: new(int64(maxUnpacked))}
	}
	content := io.MultiReader(&head, text)
	if name == "" || name == "-" {
		if err := c.p.copy(c.p, content); err != nil && c.p.outErr == nil {
			return 0, failed(curlWrite, "%v", err)
		}
		return counted.n, nil
	}
	if c.o.has("create-dirs") {
		if err := os.MkdirAll(path.Dir(c.p.path(name)), 0o777); err != nil {
			return 0, failed(curlWrite, "Failed to create the directory of %s: %s", name, message(err))
		}
	}
	w, err := c.p.create(name, os.O_TRUNC)
	if err != nil {
		return 0, failed(curlWrite, "Failure writing output to destination %s: %s", name, message(err))
	}
	if err := firstError(c.p.copy(w, content), w.Close()); err != nil {
		return 0, failed(curlWrite, "Failure writing output to destination %s: %s", name, message(err))
	}
	return counted.n, nil
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// writeOut prints the text that the format of -w describes.
func (c *curl) writeOut(response *http.Response, size int64, took time.Duration) {
	format := c.o.value("w", "")
	if format == "" {
		return
	}
	format, _ = printf.Unescape(format, false)
	code := fmt.Sprintf("%03d", response.StatusCode)
	c.p.print(strings.NewReplacer(
		"%{http_code}", code, "%{response_code}", code, "%{content_type}", response.Header.Get("Content-Type"),
		"%{size_download}", strconv.FormatInt(size, 10), "%{url_effective}", response.Request.URL.String(),
		"%{num_redirects}", strconv.Itoa(c.redirects), "%{method}", response.Request.Method,
		"%{redirect_url}", response.Header.Get("Location"), "%{time_total}", fmt.Sprintf("%.6f", took.Seconds()), "%%", "%",
	).Replace(format))
}

package commands

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"github.com/wasmtool/wasmtool/guest/guesthttp"
)

// runCurl runs curl with a transport.
func runCurl(t *testing.T, transport http.RoundTripper, dir string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	e := &command.Env{
		Args: append([]string{"curl"}, args...), Dir: dir, Stdin: strings.NewReader("from stdin"), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Environ: func() []string { return nil },
	}
	status = curlSpec(transport).command()(t.Context(), e)
	return status, out.String(), errs.String()
}

func TestCurl(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/echo?moved", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/bad":
			http.Error(w, "no such thing", http.StatusNotFound)
		default:
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, "%s %s type=%s auth=%s ua=%s x=%s body=%s\n", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), r.Header.Get("Authorization"),
				r.Header.Get("User-Agent"), r.Header.Get("X-Test"), body)
		}
	}))
	defer server.Close()
	tests := []struct {
		args           string
		stdout, stderr string
		status         int
	}{
		{args: "-s URL/echo", stdout: "GET /echo type= auth= ua=curl/8.0 (wasmtool) x= body=\n"},
		{args: "-s -d a=1 -d b=2 URL/echo", stdout: "POST /echo type=application/x-www-form-urlencoded auth= ua=curl/8.0 (wasmtool) x= body=a=1&b=2\n"},
		{args: "-s -d @words URL/echo", stdout: "body=the quick brown foxjumps over"},
		{args: "-s --data-binary @left URL/echo", stdout: "body=apple\nbanana\ncherry\n\n"},
		{args: "-s --data-raw @left URL/echo", stdout: "body=@left\n"},
		{args: "-s -d @- URL/echo", stdout: "body=from stdin\n"},
		{args: "-s --data-urlencode q=a&b URL/echo", stdout: "body=q=a%26b\n"},
		{args: "-s --json {} URL/echo", stdout: "POST /echo type=application/json"},
		{args: "-sG -d q=1 URL/echo?p=2", stdout: "GET /echo?p=2&q=1 type="},
		{args: "-s -X DELETE URL/echo", stdout: "DELETE /echo"},
		{args: "-s -u ann:secret URL/echo", stdout: "auth=Basic YW5uOnNlY3JldA=="},
		{args: "-s ann:secret@ADDRESS/echo", stdout: "auth=Basic YW5uOnNlY3JldA=="},
		{args: "-s -A robot -H X-Test:yes URL/echo", stdout: "ua=robot x=yes"},
		{args: "-s URL/moved -o words2 -w %{http_code}", stdout: "302"},
		{args: "-sL URL/moved", stdout: "GET /echo?moved"},
		{args: "-sL URL/moved -w [%{http_code},%{num_redirects}]", stdout: "\n[200,1]"},
		{args: "-sSL --max-redirs 3 URL/loop", stderr: "curl: (47) Maximum (3) redirects followed", status: 47},
		{args: "-s URL/bad", stdout: "no such thing\n"},
		{args: "-sf URL/bad", status: 22},
		{args: "-fsS URL/bad", stderr: "curl: (22) The requested URL returned error: 404", status: 22},
		{args: "-s --fail-with-body URL/bad", stdout: "no such thing\n", status: 22},
		{args: "-sI URL/echo", stdout: "HTTP/1.1 200 OK\r\n"},
		{args: "-si URL/echo", stdout: "\r\n\r\nGET /echo"},
		{args: "-s -o out.txt URL/echo -w %{size_download}", stdout: "5"},
		{args: "-s -o nodir/x URL/echo -S", stderr: "curl: (23) Failure writing output to destination nodir/x: No such file or directory", status: 23},
		{args: "-s -O URL/", status: 23},
		{args: "-k URL/echo", stderr: "-k is not supported", status: 2},
		{args: "", stderr: "no URL specified", status: 2},
		{args: "ftp://x/y", stderr: "curl: (1) Protocol \"ftp\" not supported", status: 1},
		{args: "http://", stderr: "curl: (3) URL rejected", status: 3},
		{args: "-d @missing URL/echo", stderr: "curl: (26) Failed to open missing: No such file or directory", status: 26},
		{args: "--bogus URL", stderr: "unrecognized option '--bogus'", status: 2},
	}
	dir := t.TempDir()
	writeFixtures(t, dir, "")
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			status, stdout, stderr := runCurl(t, http.DefaultTransport, dir, strings.Fields(strings.NewReplacer("URL", server.URL, "ADDRESS", server.Listener.Addr().String()).Replace(tt.args))...)
			if status != tt.status || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
				t.Errorf("status %d, want %d\nstdout %q, want %q in it\nstderr %q, want %q in it", status, tt.status, stdout, tt.stdout, stderr, tt.stderr)
			}
		})
	}
	saved, err := os.ReadFile(filepath.Join(dir, "out.txt"))
	if err != nil || !strings.HasPrefix(string(saved), "GET /echo") {
		t.Errorf("-o saved %q (%v)", saved, err)
	}
}

// refusing is a transport of a host that denies every request.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &guesthttp.HostError{Kind: "denied", Message: "example.com is not granted"}
}

func TestCurlReportsMissingPermission(t *testing.T) {
	status, _, stderr := runCurl(t, refusing{}, t.TempDir(), "https://example.com/")
	want := "curl: (7) Failed to connect to example.com: example.com is not granted; only the operator can grant it, by the permission net:https://example.com/\n"
	if status != 7 || stderr != want {
		t.Errorf("status %d, stderr %q, want 7, %q", status, stderr, want)
	}
}

func TestCurlExplainsDisabledNetwork(t *testing.T) {
	status, stdout, stderr := runCurl(t, nil, t.TempDir(), "-d", "x", "https://example.com/path?key=hunter2")
	want := "curl: (7) Failed to connect to example.com: this shell has no network; only the operator can switch it on, " +
		"below [tools.bash]: settings = { network = \"on\" }, allow = [\"net:POST:https://example.com/\"]\n"
	if status != 7 || stdout != "" || stderr != want {
		t.Errorf("status %d, stdout %q, stderr %q, want 7, %q", status, stdout, stderr, want)
	}
}

// A redirected request has the method and body that the original curl would send. Headers that
// identify the user are not sent to another server.
func TestCurlRedirects(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "%s body=%s type=%s auth=%s cookie=%s x=%s", r.Method, body, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Header.Get("X-Test"))
	})
	other := httptest.NewServer(echo)
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/302":
			http.Redirect(w, r, "/echo", http.StatusFound)
		case "/307":
			http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
		case "/other":
			http.Redirect(w, r, other.URL+"/echo", http.StatusPermanentRedirect)
		case "/user":
			w.Header().Set("Location", "http://ann:secret@"+r.Host+"/echo")
			w.WriteHeader(http.StatusFound)
		case "/nowhere":
			w.WriteHeader(http.StatusFound)
		default:
			echo(w, r)
		}
	}))
	defer server.Close()
	for _, tt := range []struct {
		args, stdout, stderr string
		status               int
	}{
		{args: "-d a=1 URL/302", stdout: "GET body= type= auth= cookie= x="},
		{args: "-X PUT -d a=1 URL/302", stdout: "PUT body= type= auth= cookie= x="},
		{args: "-d a=1 URL/307", stdout: "POST body=a=1 type=application/x-www-form-urlencoded auth= cookie= x="},
		{args: "-u ann:pw -b c=1 -H X-Test:yes URL/302", stdout: "GET body= type= auth=Basic YW5uOnB3 cookie=c=1 x=yes"},
		{args: "-u ann:pw -b c=1 -H X-Test:yes URL/other", stdout: "GET body= type= auth= cookie= x=yes"},
		{args: "-I -w %{method}%{url_effective} URL/302", stdout: "HEADURL/echo"},
		{args: "-o - -w %{num_redirects} URL/302 URL/echo", stdout: "x=1GET body= type= auth= cookie= x=0"},
		{args: "URL/user", stderr: "curl: (3) the server redirects to an invalid URL", status: 3},
		{args: "-w %{http_code} URL/nowhere", stdout: "302"},
		{args: "--max-redirs 0 URL/302", stderr: "curl: (47) Maximum (0) redirects followed", status: 47},
		{args: "--max-redirs x URL/302", stderr: "expected a number for --max-redirs, got 'x'", status: 2},
	} {
		args := append([]string{"-sSL"}, strings.Fields(strings.ReplaceAll(tt.args, "URL", server.URL))...)
		status, stdout, stderr := runCurl(t, http.DefaultTransport, t.TempDir(), args...)
		if status != tt.status || !strings.HasSuffix(stdout, strings.ReplaceAll(tt.stdout, "URL", server.URL)) || !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
			t.Errorf("%s: status %d, stdout %q, stderr %q", tt.args, status, stdout, stderr)
		}
	}
}

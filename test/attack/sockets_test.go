package attack

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// If a host is granted by its address, guests can connect to it only at the granted port. The proxy
// in the environment is not used. This test uses real sockets.
func TestRealSockets(t *testing.T) {
	arrived := make(chan string, 32)
	server := func(name string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			arrived <- name
			if to := r.URL.Query().Get("to"); to != "" {
				http.Redirect(rw, r, to, http.StatusFound)
				return
			}
			fmt.Fprint(rw, name)
		}))
		t.Cleanup(s.Close)
		return s
	}
	granted, other, proxy := server("granted"), server("other"), server("proxy")
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	l := newLab(t, setup{
		tools:    map[string]string{"script": fmt.Sprintf("[[permissions.net]]\nurl = %q\n", granted.URL+"/")},
		operator: fmt.Sprintf("[grants]\nallow = [%q]\n[tools.script]\nauto_execute = true\n", "net:"+granted.URL+"/"),
	})
	port := strings.TrimPrefix(other.URL, "http://127.0.0.1")
	steps := []step{
		get(granted.URL + "/"),
		{Do: "body", Handle: -1},
		get(other.URL + "/"), get("http://localhost" + strings.TrimPrefix(granted.URL, "http://127.0.0.1")), get("http://[::ffff:127.0.0.1]" + port),
		get("http://127.0.0.1/"), get(granted.URL + "/?to=" + url.QueryEscape(other.URL+"/")), get(granted.URL + "/?to=" + url.QueryEscape("http://localhost"+port)),
	}
	out := l.play(t, steps...)
	if out[0].Code != 1 || out[1].Text != "granted" {
		t.Errorf("the granted server: %+v", out[:2])
	}
	for i, o := range out[2:] {
		if o.Code >= 0 {
			t.Errorf("%s: %+v", steps[i+2].Text, o)
		}
	}
	close(arrived)
	for name := range arrived {
		if name != "granted" {
			t.Errorf("a request arrived at the %s server", name)
		}
	}
}

package mcpserver_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/mcpserver/oauth"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const resource = "https://tools.example.com/mcp"

// issuer is an authorization server.
type issuer struct {
	url string
	key *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"authorization_endpoint":"x","token_endpoint":"x","id_token_signing_alg_values_supported":["ES256","HS256","none"]}`, i.url, i.url+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	i.url = server.URL
	return i
}

// claims returns the claims of a valid token, with changes.
func (i *issuer) claims(changes map[string]any) map[string]any {
	claims := map[string]any{
		"iss": i.url, "aud": resource, "sub": "ann", "scope": "tools other", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(),
	}
	maps.Copy(claims, changes)
	return claims
}

func (i *issuer) token(t *testing.T, changes map[string]any) string {
	return sign(t, jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.key, KeyID: "1"}}, i.claims(changes))
}

func sign(t *testing.T, key jose.SigningKey, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("at+jwt"))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (i *issuer) options(t *testing.T) mcpserver.HTTPOptions {
	t.Helper()
	authority, err := oauth.New(t.Context(), oauth.Options{Issuer: i.url, Resource: resource, Scopes: []string{"tools"}})
	if err != nil {
		t.Fatal(err)
	}
	return mcpserver.HTTPOptions{Authority: authority}
}

// Each user of the authorization server is a separate tenant.
func TestOAuthUsersAreTenants(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "caller"}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.TextContent("called by " + in.Call.Tenant)}}, nil
	})
	i := newIssuer(t)
	s := w.listen(t, i.options(t))
	for _, revision := range revisions {
		for _, user := range []string{"ann", "bob"} {
			session := s.connect(t, revision, nil, i.token(t, map[string]any{"sub": user}))
			if got, want := callText(t, session, "caller", nil), "called by "+user; got != want {
				t.Errorf("%s: got %q, want %q", revision, got, want)
			}
		}
	}
}

// The groups of a user come only from the named claim of a verified token, and decide the tenant of
// each request.
func TestOAuthGroupsNameTheTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "caller"}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.TextContent("called by " + in.Call.Tenant)}}, nil
	})
	i := newIssuer(t)
	authority, err := oauth.New(t.Context(), oauth.Options{Issuer: i.url, Resource: resource, Groups: "https://a.example/groups"})
	if err != nil {
		t.Fatal(err)
	}
	var moved atomic.Bool
	s := w.listen(t, mcpserver.HTTPOptions{Authority: authority, Tenant: func(id mcpserver.Identity) (string, error) {
		switch {
		case !slices.Equal(id.Groups, []string{"blue"}):
			return "", fmt.Errorf("%s has no tenant", id.User)
		case moved.Load():
			return "red", nil
		}
		return "blue", nil
	}})
	send := func(token string) int {
		t.Helper()
		status, _, _ := s.send(t, request{body: hello, header: map[string]string{"Authorization": "Bearer " + token}})
		return status
	}
	for name, c := range map[string]struct {
		changes map[string]any
		status  int
	}{
		"a list":                   {map[string]any{"https://a.example/groups": []string{"blue"}}, http.StatusOK},
		"a string":                 {map[string]any{"https://a.example/groups": "blue"}, http.StatusOK},
		"none":                     {nil, http.StatusForbidden},
		"null":                     {map[string]any{"https://a.example/groups": nil}, http.StatusForbidden},
		"another claim":            {map[string]any{"groups": []string{"blue"}}, http.StatusForbidden},
		"in other letters":         {map[string]any{"https://a.example/GROUPS": []string{"blue"}}, http.StatusForbidden},
		"several words":            {map[string]any{"https://a.example/groups": "blue red"}, http.StatusForbidden},
		"the name of the tenant":   {map[string]any{"sub": "blue"}, http.StatusForbidden},
		"a number":                 {map[string]any{"https://a.example/groups": 1}, http.StatusUnauthorized},
		"a list with other values": {map[string]any{"https://a.example/groups": []any{"blue", 1}}, http.StatusUnauthorized},
		"an object":                {map[string]any{"https://a.example/groups": map[string]any{"blue": true}}, http.StatusUnauthorized},
	} {
		if status := send(i.token(t, c.changes)); status != c.status {
			t.Errorf("%s: status %d, want %d", name, status, c.status)
		}
	}
	// A token whose claim was changed does not have the signature of the issuer.
	parts := strings.Split(i.token(t, nil), ".")
	forged, err := json.Marshal(i.claims(map[string]any{"https://a.example/groups": []string{"blue"}}))
	if err != nil {
		t.Fatal(err)
	}
	parts[1] = base64.RawURLEncoding.EncodeToString(forged)
	if status := send(strings.Join(parts, ".")); status != http.StatusUnauthorized {
		t.Errorf("a forged claim: status %d", status)
	}

	token := i.token(t, map[string]any{"https://a.example/groups": []string{"blue"}})
	for _, revision := range revisions {
		moved.Store(false)
		session := s.connect(t, revision, nil, token)
		for _, tenant := range []string{"blue", "red"} {
			if got := callText(t, session, "caller", nil); got != "called by "+tenant {
				t.Errorf("%s: got %q, want %s", revision, got, tenant)
			}
			moved.Store(true) // the operator's file now names another tenant
		}
	}
}

func TestOAuthKeepsStrangersOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	i, other := newIssuer(t), newIssuer(t)
	s := w.listen(t, i.options(t))
	der, err := x509.MarshalPKIXPublicKey(i.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	good := i.token(t, nil)
	parts := strings.Split(good, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
	forged, err := json.Marshal(i.claims(map[string]any{"sub": "root"}))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		token  string
		status int
	}{
		"good":                     {good, http.StatusOK},
		"no token":                 {"", http.StatusUnauthorized},
		"not a JWT":                {"abc", http.StatusUnauthorized},
		"expired":                  {i.token(t, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}), http.StatusUnauthorized},
		"without expiry":           {i.token(t, map[string]any{"exp": nil}), http.StatusUnauthorized},
		"not yet":                  {i.token(t, map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}), http.StatusUnauthorized},
		"for another server":       {i.token(t, map[string]any{"aud": "https://other.example.com/mcp"}), http.StatusUnauthorized},
		"without a user":           {i.token(t, map[string]any{"sub": ""}), http.StatusUnauthorized},
		"without the scope":        {i.token(t, map[string]any{"scope": "toolsx"}), http.StatusForbidden},
		"of another issuer":        {other.token(t, nil), http.StatusUnauthorized},
		"in another issuer's name": {other.token(t, map[string]any{"iss": i.url}), http.StatusUnauthorized},
		"unsigned":                 {none, http.StatusUnauthorized},
		"changed":                  {parts[0] + "." + base64.RawURLEncoding.EncodeToString(forged) + "." + parts[2], http.StatusUnauthorized},
		"signed with the public key": {
			sign(t, jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: der, KeyID: "1"}}, i.claims(nil)), http.StatusUnauthorized,
		},
	} {
		header := map[string]string{}
		if c.token != "" {
			header["Authorization"] = "Bearer " + c.token
		}
		status, _, answer := s.send(t, request{body: hello, header: header})
		if status != c.status {
			t.Errorf("%s: %d, want %d", name, status, c.status)
		}
		const where = `resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp"`
		if told := strings.Contains(answer.Get("WWW-Authenticate"), where); told != (c.status != http.StatusOK) {
			t.Errorf("%s: WWW-Authenticate is %q", name, answer.Get("WWW-Authenticate"))
		}
	}
}

// A user with the session ID of another user can neither read nor end that session.
func TestOAuthSessionBelongsToOneUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	running, ended := make(chan struct{}), make(chan struct{})
	w.add(t, tool.Spec{Name: "wait"}, func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		close(running)
		select {
		case <-ended:
			return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	})
	i := newIssuer(t)
	s := w.listen(t, i.options(t))
	session := s.connect(t, "2025-11-25", nil, i.token(t, nil))
	got := make(chan string, 1)
	go func() {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
		if err != nil {
			got <- err.Error()
			return
		}
		got <- textOf(result)
	}()
	<-running
	header := map[string]string{"Authorization": "Bearer " + i.token(t, map[string]any{"sub": "eve"}), "Mcp-Session-Id": session.ID()}
	for _, method := range []string{http.MethodDelete, http.MethodPost} {
		if status, _, _ := s.send(t, request{method: method, body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header: header}); status != http.StatusForbidden {
			t.Errorf("%s: %d", method, status)
		}
	}
	close(ended)
	if text := <-got; text != "done" {
		t.Errorf("the call ended with %q", text)
	}
}

// One user cannot exhaust the sessions or request bodies of all users.
func TestOAuthUserIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	running, end := make(chan struct{}), make(chan struct{})
	w.add(t, tool.Spec{Name: "wait"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		close(running)
		<-end
		return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
	})
	i := newIssuer(t)
	o := i.options(t)
	o.MaxSessions, o.MaxBody, o.MaxBodies = 8, 3000, 12000
	s := w.listen(t, o)
	as := func(user string) map[string]string {
		return map[string]string{"Authorization": "Bearer " + i.token(t, map[string]any{"sub": user})}
	}
	first := s.connect(t, "2025-11-25", nil, i.token(t, nil))
	second := s.connect(t, "2025-11-25", nil, i.token(t, nil))
	opens := func(user string, want int) {
		t.Helper()
		status, _, header := s.send(t, request{body: hello, header: as(user)})
		if status != want || (status == http.StatusOK) != (header.Get("Mcp-Session-Id") != "") {
			t.Errorf("%s opens a session: %d, want %d", user, status, want)
		}
	}
	opens("ann", http.StatusServiceUnavailable)
	opens("bob", http.StatusOK)

	text := strings.Repeat("x", 2000)
	got := make(chan error, 1)
	go func() {
		_, err := first.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"text": text}})
		got <- err
	}()
	<-running
	long := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + text + `"}}`
	header := as("ann")
	header["Mcp-Session-Id"] = second.ID()
	if status, _, _ := s.send(t, request{body: long, header: header}); status != http.StatusServiceUnavailable {
		t.Errorf("ann sends more: %d", status)
	}
	bobs := s.connect(t, "2025-11-25", nil, i.token(t, map[string]any{"sub": "bob"}))
	header = as("bob")
	header["Mcp-Session-Id"] = bobs.ID()
	if status, text, _ := s.send(t, request{body: long, header: header}); status != http.StatusOK {
		t.Errorf("bob sends as much: %d %s", status, text)
	}
	close(end)
	if err := <-got; err != nil {
		t.Error(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	opens("ann", http.StatusOK)
}

// One user cannot exhaust the connections, whether they are in use or idle.
func TestOAuthConnectionsOfUserAreLimited(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	o := i.options(t)
	o.MaxConnections = 8
	s := newWorld(t, mcpserver.Options{}).listen(t, o)
	type line struct {
		net.Conn
		answers *bufio.Reader
	}
	dial := func() line {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return line{conn, bufio.NewReader(conn)}
	}
	ask := func(l line, user string) (int, bool) {
		t.Helper()
		fmt.Fprintf(l, "GET /nothing HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", i.token(t, map[string]any{"sub": user}))
		response, err := http.ReadResponse(l.answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		return response.StatusCode, response.Close
	}
	first, second := dial(), dial()
	for range 2 {
		for _, l := range []line{first, second} {
			if status, _ := ask(l, "ann"); status != http.StatusNotFound {
				t.Errorf("connections of ann: %d", status)
			}
		}
	}
	if status, closed := ask(dial(), "ann"); status != http.StatusServiceUnavailable || !closed {
		t.Errorf("ann's third connection: %d, closed %v", status, closed)
	}
	if status, _ := ask(dial(), "bob"); status != http.StatusNotFound {
		t.Errorf("bob, while ann has her connections: %d", status)
	}
	if status, _ := ask(second, "cid"); status != http.StatusNotFound {
		t.Errorf("another user on the same connection: %d", status)
	}
	if status, _ := ask(dial(), "ann"); status != http.StatusNotFound {
		t.Errorf("ann, after bob took over one of her connections: %d", status)
	}
	first.Close()
	for { // if the server never notices the closed connection, the test times out
		if status, _ := ask(dial(), "ann"); status == http.StatusNotFound {
			return
		}
	}
}

func TestOAuthMetadata(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	s := newWorld(t, mcpserver.Options{}).listen(t, i.options(t))
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		response, err := http.Get("http://" + s.addr + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		want := fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q],"scopes_supported":["tools"],"bearer_methods_supported":["header"]}`, resource, i.url)
		if err != nil || strings.TrimSpace(string(body)) != want {
			t.Errorf("got %s, %v", body, err)
		}
	}
}

// A server whose Authority is invalid does not start.
func TestInvalidOAuthOptions(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	for name, c := range map[string]struct {
		token string
		o     oauth.Options
		want  string
	}{
		"two ways":       {strings.Repeat("x", 20), oauth.Options{Issuer: i.url, Resource: resource}, "choose one"},
		"no resource":    {"", oauth.Options{Issuer: i.url}, "is not the URL of this server"},
		"another path":   {"", oauth.Options{Issuer: i.url, Resource: "https://tools.example.com/"}, "is not the URL of this server"},
		"plain issuer":   {"", oauth.Options{Issuer: "http://example.com", Resource: resource}, "https"},
		"not an issuer":  {"", oauth.Options{Issuer: other.URL, Resource: resource}, "does not provide its keys"},
		"another issuer": {"", oauth.Options{Issuer: i.url + "/", Resource: resource}, "does not provide its keys"},
	} {
		authority, err := oauth.New(t.Context(), c.o)
		if err == nil {
			l, listenErr := net.Listen("tcp", "127.0.0.1:0")
			if listenErr != nil {
				t.Fatal(listenErr)
			}
			err = newWorld(t, mcpserver.Options{}).server.ServeListener(t.Context(), l, mcpserver.HTTPOptions{Token: c.token, Authority: authority})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Authority admits clients with a token of an authorization server. Each user is a separate
// tenant, unless HTTPOptions.Tenant decides, and only the user who opened a session can use it.
// Clients find the authorization server in the metadata of RFC 9728, as MCP requires. Package oauth
// makes an Authority for an OpenID Connect issuer.
type Authority struct {
	// Issuer is the URL of the authorization server.
	Issuer string
	// Resource is the URL at which clients reach the server, including [Path].
	Resource string
	// Scopes are required in each token; empty requires none.
	Scopes []string
	// Verify returns the user of a token, or an error if the token is invalid. The client does
	// not see the error. It may be called concurrently.
	Verify func(ctx context.Context, token string) (Identity, error)
}

// Identity is the content of a valid token.
type Identity struct {
	// User is the name of the user, and of the tenant unless HTTPOptions.Tenant decides.
	User string
	// Groups are the groups of the user, for HTTPOptions.Tenant.
	Groups []string
	// Expires is the time when the token expires.
	Expires time.Time
	// Scopes are the scopes of the token.
	Scopes []string
}

// ErrOAuth is the error of an Authority with an invalid configuration.
var ErrOAuth = errors.New("oauth")

// Keys of auth.TokenInfo.Extra.
const (
	groupsKey = "groups"
	tenantKey = "tenant"
)

// metadataPath is the path of the metadata of a resource. The metadata of Path is below it.
const metadataPath = "/.well-known/oauth-protected-resource"

// tokenGate admits requests with a token of an Authority or of a tenant.
type tokenGate struct {
	metadata http.Handler // nil for tokens of tenants
	require  func(http.Handler) http.Handler
}

// newTokenGate returns a tokenGate that calls refused for each invalid token.
func newTokenGate(a *Authority, refused func()) (*tokenGate, error) {
	resource, err := url.Parse(a.Resource)
	if err != nil || resource.Host == "" || resource.Path != Path || (resource.Scheme != "https" && resource.Scheme != "http") {
		return nil, fmt.Errorf("%w: %q is not the URL of this server; write a URL such as https://tools.example.com%s", ErrOAuth, a.Resource, Path)
	}
	verify := func(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		id, err := a.Verify(ctx, token)
		if err != nil || id.User == "" {
			refused()
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: id.User, Expiration: id.Expires, Scopes: id.Scopes, Extra: map[string]any{groupsKey: id.Groups}}, nil
	}
	return &tokenGate{
		metadata: auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
			Resource: a.Resource, AuthorizationServers: []string{a.Issuer}, ScopesSupported: a.Scopes, BearerMethodsSupported: []string{"header"},
		}),
		require: auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{
			ResourceMetadataURL: resource.Scheme + "://" + resource.Host + metadataPath + Path, Scopes: a.Scopes,
		}),
	}, nil
}

// newTenantGate returns a tokenGate for the tokens of tenants.
func newTenantGate(tokens map[string]string, refused func()) (*tokenGate, error) {
	names := make(map[[sha256.Size]byte]string)
	for _, name := range slices.Sorted(maps.Keys(tokens)) {
		sum := sha256.Sum256([]byte(tokens[name]))
		switch other, twice := names[sum]; {
		case name == "":
			return nil, fmt.Errorf("%w: a tenant has no name", ErrTenants)
		case len(tokens[name]) < MinTokenBytes:
			return nil, fmt.Errorf("%w: %s: %w", ErrTenants, name, ErrTokenShort)
		case strings.ContainsAny(tokens[name], " \t\r\n"):
			return nil, fmt.Errorf("%w: the token of %s contains a space", ErrTenants, name)
		case twice:
			return nil, fmt.Errorf("%w: %s and %s have the same token", ErrTenants, other, name)
		}
		names[sum] = name
	}
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		given, user := sha256.Sum256([]byte(token)), ""
		for sum, name := range names { // compare with all, so that the time shows nothing
			if subtle.ConstantTimeCompare(sum[:], given[:]) == 1 {
				user = name
			}
		}
		if user == "" {
			refused()
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: user}, nil
	}
	return &tokenGate{require: auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})}, nil
}

// serve serves the metadata, and passes requests with a valid token to the handler next.
func (g *tokenGate) serve(w http.ResponseWriter, req *http.Request, next http.HandlerFunc) {
	if g.metadata != nil && (req.URL.Path == metadataPath || req.URL.Path == metadataPath+Path) {
		g.metadata.ServeHTTP(w, req)
		return
	}
	w.Header().Set("Connection", "close") // a refused client must not occupy a connection
	g.require(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Del("Connection")
		next(w, req)
	})).ServeHTTP(w, req)
}

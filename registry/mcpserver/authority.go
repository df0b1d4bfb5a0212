package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Authority lets in who has a token of an authorization server. Each user is a tenant of its
// own, and a session is for the user who opened it. Clients learn where to get a token by the
// metadata of RFC 9728, as the Model Context Protocol wants it. Package oauth makes an
// Authority of an OpenID Connect issuer.
type Authority struct {
	// Issuer is the URL of the authorization server.
	Issuer string
	// Resource is the URL by which clients reach the server, with Path.
	Resource string
	// Scopes must all be in a token; empty needs none.
	Scopes []string
	// Verify returns whose a token is, or an error for one that is not good, which the client
	// is not told. It may be called concurrently.
	Verify func(ctx context.Context, token string) (Identity, error)
}

// Identity is what a token says about who has it.
type Identity struct {
	// User is the name of the tenant.
	User string
	// Expires is when the token stops being good.
	Expires time.Time
	// Scopes are those that the token has.
	Scopes []string
}

// ErrOAuth is the error of an Authority that cannot work as it is.
var ErrOAuth = errors.New("oauth")

// metadataPath is where the metadata of a resource lies; that of Path lies below it.
const metadataPath = "/.well-known/oauth-protected-resource"

// tokenGate lets in who has a token of an Authority.
type tokenGate struct {
	metadata http.Handler
	require  func(http.Handler) http.Handler
}

// newTokenGate calls refused for each token that is not good.
func newTokenGate(a *Authority, refused func()) (*tokenGate, error) {
	resource, err := url.Parse(a.Resource)
	if err != nil || resource.Host == "" || resource.Path != Path || (resource.Scheme != "https" && resource.Scheme != "http") {
		return nil, fmt.Errorf("%w: %q is not the URL of this server: it is like https://tools.example.com%s", ErrOAuth, a.Resource, Path)
	}
	verify := func(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		who, err := a.Verify(ctx, token)
		if err != nil || who.User == "" {
			refused()
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: who.User, Expiration: who.Expires, Scopes: who.Scopes}, nil
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

// serve serves the metadata, or lets who has a token through to next.
func (g *tokenGate) serve(w http.ResponseWriter, req *http.Request, next http.HandlerFunc) {
	if req.URL.Path == metadataPath || req.URL.Path == metadataPath+Path {
		g.metadata.ServeHTTP(w, req)
		return
	}
	w.Header().Set("Connection", "close") // strangers hold no connection that others wait for
	g.require(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Del("Connection")
		next(w, req)
	})).ServeHTTP(w, req)
}

package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/time/rate"
)

// OAuth lets in who has a token of an authorization server: a JWT that it signed, for this
// server, that has not expired (RFC 9068). Clients learn where to get one by the metadata of
// RFC 9728, as the Model Context Protocol wants it. Each user, by the token's sub, is a
// tenant of its own, and a session is for the user who opened it.
type OAuth struct {
	// Issuer is the URL of the authorization server, as its tokens name it. It has a document
	// at /.well-known/openid-configuration, and only what is encrypted, or on this machine,
	// is believed.
	Issuer string
	// Resource is the URL by which clients reach the server, with Path; tokens must be for it.
	// Audience takes its place there when it is set.
	Resource, Audience string
	// Scopes must all be in a token; empty needs none.
	Scopes []string
	// Client fetches the issuer's documents; nil means one that waits ten seconds.
	Client *http.Client
}

// ErrOAuth is the error of an OAuth that cannot work as it is, or whose issuer does not answer.
var ErrOAuth = errors.New("oauth")

// metadataPath is where the metadata of a resource lies; that of Path lies below it.
const metadataPath = "/.well-known/oauth-protected-resource"

// signingAlgorithms are those by which the issuer alone can sign. HMAC is none: whoever
// checks could sign.
var signingAlgorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// maxSubject is how long the name of a user may be, in bytes.
const maxSubject = 255

// oauthRule is OAuth at work.
type oauthRule struct {
	verifier *oidc.IDTokenVerifier
	metadata http.Handler
	require  func(http.Handler) http.Handler
	refused  func() // counts
}

// newOAuthRule asks the issuer for its keys' address, and fails when that cannot be had: a
// server that does not know whom to believe serves nobody.
func newOAuthRule(ctx context.Context, o OAuth, refused func()) (*oauthRule, error) {
	resource, err := url.Parse(o.Resource)
	if err != nil || resource.Host == "" || resource.Path != Path || (resource.Scheme != "https" && resource.Scheme != "http") {
		return nil, fmt.Errorf("%w: %q is not the URL of this server: it is like https://tools.example.com%s", ErrOAuth, o.Resource, Path)
	}
	issuer, err := url.Parse(o.Issuer)
	if err != nil || issuer.Host == "" || issuer.Scheme != "https" && (issuer.Scheme != "http" || !isLocalName(issuer.Hostname())) {
		return nil, fmt.Errorf("%w: the issuer %q has to be a URL with https", ErrOAuth, o.Issuer)
	}
	client := o.Client
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Second}
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, client), o.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: the issuer %s does not tell of its keys: %w", ErrOAuth, o.Issuer, err)
	}
	r := &oauthRule{
		refused: refused,
		// The keys are fetched as long as the server runs.
		verifier: provider.VerifierContext(oidc.ClientContext(context.WithoutCancel(ctx), seldom(client)), &oidc.Config{
			ClientID: cmp.Or(o.Audience, o.Resource), SupportedSigningAlgs: signingAlgorithms,
		}),
		metadata: auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
			Resource: o.Resource, AuthorizationServers: []string{o.Issuer}, ScopesSupported: o.Scopes, BearerMethodsSupported: []string{"header"},
		}),
	}
	r.require = auth.RequireBearerToken(r.verify, &auth.RequireBearerTokenOptions{
		ResourceMetadataURL: resource.Scheme + "://" + resource.Host + metadataPath + Path, Scopes: o.Scopes,
	})
	return r, nil
}

// keysAgain is how often the issuer's keys are fetched in the long run, and keysAtOnce how often
// without a wait: for the first token, after a fetch that failed, and for a new key.
const (
	keysAgain  = time.Minute
	keysAtOnce = 3
)

var errKeysFetched = errors.New("the issuer's keys were fetched a moment ago")

// seldom is a client that asks only so often. A token by no key that is known has the keys
// fetched, and anybody can make such tokens: they neither load the issuer nor have it shut
// this server out. A good token by a new key has to wait for no longer than keysAgain.
func seldom(client *http.Client) *http.Client {
	c := *client
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	limit := rate.NewLimiter(rate.Every(keysAgain), keysAtOnce)
	c.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.Response == nil && !limit.Allow() { // a redirect belongs to what was asked
			return nil, errKeysFetched
		}
		return next.RoundTrip(req)
	})
	return &c
}

// roundTripper is a function as an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// verify checks a token. What is wrong with one is told to nobody who has it.
func (r *oauthRule) verify(ctx context.Context, raw string, _ *http.Request) (*auth.TokenInfo, error) {
	info, err := r.read(ctx, raw)
	if err != nil {
		r.refused()
		return nil, auth.ErrInvalidToken
	}
	return info, nil
}

func (r *oauthRule) read(ctx context.Context, raw string) (*auth.TokenInfo, error) {
	token, err := r.verifier.Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if token.Subject == "" || len(token.Subject) > maxSubject {
		return nil, errors.New("the token is for nobody")
	}
	var claims struct {
		Scope string `json:"scope"`
	}
	if err := token.Claims(&claims); err != nil {
		return nil, err
	}
	return &auth.TokenInfo{UserID: token.Subject, Expiration: token.Expiry, Scopes: strings.Fields(claims.Scope)}, nil
}

// serve serves the metadata, or lets who has a token through to next.
func (r *oauthRule) serve(w http.ResponseWriter, req *http.Request, next http.HandlerFunc) {
	if req.URL.Path == metadataPath || req.URL.Path == metadataPath+Path {
		r.metadata.ServeHTTP(w, req)
		return
	}
	w.Header().Set("Connection", "close") // strangers hold no connection that others wait for
	r.require(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Del("Connection")
		next(w, req)
	})).ServeHTTP(w, req)
}

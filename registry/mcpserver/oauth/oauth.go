// Package oauth lets users of an OpenID Connect issuer into a server of package mcpserver.
// It is apart so that servers without one do not link what checks signatures.
package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/time/rate"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
)

// Options names an issuer and what its tokens must be for. A token is a JWT that the issuer
// signed, for this server, that has not expired (RFC 9068). The user is the token's sub.
type Options struct {
	// Issuer is the URL of the authorization server, as its tokens name it. It has a document
	// at /.well-known/openid-configuration, and only what is encrypted, or on this machine,
	// is believed.
	Issuer string
	// Resource is the URL by which clients reach the server, with mcpserver.Path; tokens must
	// be for it. Audience takes its place there when it is set.
	Resource, Audience string
	// Scopes must all be in a token; empty needs none.
	Scopes []string
	// Client fetches the issuer's documents; nil means one that waits ten seconds.
	Client *http.Client
}

// signingAlgorithms are those by which the issuer alone can sign. HMAC is none: whoever
// checks could sign.
var signingAlgorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// maxSubject is how long the name of a user may be, in bytes.
const maxSubject = 255

// New asks the issuer for its keys' address, and fails with mcpserver.ErrOAuth when that cannot
// be had: a server that does not know whom to believe serves nobody. The keys are fetched as
// long as the program runs, also after ctx is done.
func New(ctx context.Context, o Options) (*mcpserver.Authority, error) {
	issuer, err := url.Parse(o.Issuer)
	if err != nil || issuer.Host == "" || issuer.Scheme != "https" && (issuer.Scheme != "http" || !isLocal(issuer.Hostname())) {
		return nil, fmt.Errorf("%w: the issuer %q has to be a URL with https", mcpserver.ErrOAuth, o.Issuer)
	}
	client := o.Client
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Second}
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, client), o.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: the issuer %s does not tell of its keys: %w", mcpserver.ErrOAuth, o.Issuer, err)
	}
	verifier := provider.VerifierContext(oidc.ClientContext(context.WithoutCancel(ctx), seldom(client)), &oidc.Config{
		ClientID: cmp.Or(o.Audience, o.Resource), SupportedSigningAlgs: signingAlgorithms,
	})
	return &mcpserver.Authority{
		Issuer: o.Issuer, Resource: o.Resource, Scopes: o.Scopes,
		Verify: func(ctx context.Context, token string) (mcpserver.Identity, error) {
			return verify(ctx, verifier, token)
		},
	}, nil
}

// isLocal reports whether a name is one of this machine.
func isLocal(name string) bool {
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.Unmap().IsLoopback()
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

func verify(ctx context.Context, verifier *oidc.IDTokenVerifier, raw string) (who mcpserver.Identity, err error) {
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return who, err
	}
	if token.Subject == "" || len(token.Subject) > maxSubject {
		return who, errors.New("the token is for nobody")
	}
	var claims struct {
		Scope string `json:"scope"`
	}
	if err := token.Claims(&claims); err != nil {
		return who, err
	}
	return mcpserver.Identity{User: token.Subject, Expires: token.Expiry, Scopes: strings.Fields(claims.Scope)}, nil
}

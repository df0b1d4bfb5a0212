// Package oauth admits users of an OpenID Connect issuer to a server of package mcpserver. It is a
// separate package so that servers without an issuer do not link code for signatures.
package oauth

import (
	"cmp"
	"context"
	"encoding/json"
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

// Options describes an issuer and the tokens that are valid. A valid token is a JWT of the issuer
// for this server that has not expired (RFC 9068). The claim "sub" of the token names the user.
type Options struct {
	// Issuer is the URL of the authorization server, exactly as in its tokens. The server provides
	// /.well-known/openid-configuration. The URL must be https, unless the server is on this
	// machine.
	Issuer string
	// Resource is the URL at which clients reach the server, including mcpserver.Path. Audience
	// is the audience that tokens must have; empty means Resource.
	Resource, Audience string
	// Scopes are required in each token; empty requires none.
	Scopes []string
	// Groups is the claim with the groups of a user, a list of strings or one string; empty means
	// "groups". A token without the claim has no groups.
	Groups string
	// Client fetches the issuer's documents; nil means a client with a timeout of 10 s.
	Client *http.Client
}

// signingAlgorithms are the accepted algorithms. With them, only the issuer can sign. HMAC is not
// accepted, because its verification key can also sign.
var signingAlgorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// maxSubject limits the name of a user, in bytes.
const maxSubject = 255

// New fetches the URL of the issuer's keys. If that fails, New returns mcpserver.ErrOAuth, because
// the server could not verify any token. The keys are fetched when they are needed, even after ctx
// is done.
func New(ctx context.Context, o Options) (*mcpserver.Authority, error) {
	issuer, err := url.Parse(o.Issuer)
	if err != nil || issuer.Host == "" || issuer.Scheme != "https" && (issuer.Scheme != "http" || !isLocal(issuer.Hostname())) {
		return nil, fmt.Errorf("%w: the issuer %q must be an https URL", mcpserver.ErrOAuth, o.Issuer)
	}
	client := o.Client
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Second}
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, client), o.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: the issuer %s does not provide its keys: %w", mcpserver.ErrOAuth, o.Issuer, err)
	}
	verifier := provider.VerifierContext(oidc.ClientContext(context.WithoutCancel(ctx), limited(client)), &oidc.Config{
		ClientID: cmp.Or(o.Audience, o.Resource), SupportedSigningAlgs: signingAlgorithms,
	})
	return &mcpserver.Authority{
		Issuer: o.Issuer, Resource: o.Resource, Scopes: o.Scopes,
		Verify: func(ctx context.Context, token string) (mcpserver.Identity, error) {
			return verify(ctx, verifier, token, cmp.Or(o.Groups, "groups"))
		},
	}, nil
}

// isLocal reports whether a host name means this machine.
func isLocal(name string) bool {
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// fetchInterval is the average time between two fetches of the issuer's keys. fetchBurst is the
// number of fetches that need no wait: for the first token, after a failed fetch, and for a new
// key.
const (
	fetchInterval = time.Minute
	fetchBurst    = 3
)

var errKeysFetched = errors.New("the issuer's keys were fetched a moment ago")

// limited returns a client that limits the rate of requests. A token with an unknown key causes a
// fetch of the keys, and any stranger can make such tokens. Without the limit, strangers could
// overload the issuer, and the issuer could block this server in response. A valid token with a new
// key waits for at most fetchInterval.
func limited(client *http.Client) *http.Client {
	c := *client
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	limit := rate.NewLimiter(rate.Every(fetchInterval), fetchBurst)
	c.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.Response == nil && !limit.Allow() { // a redirect belongs to an earlier request
			return nil, errKeysFetched
		}
		return next.RoundTrip(req)
	})
	return &c
}

// roundTripper makes a function an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func verify(ctx context.Context, verifier *oidc.IDTokenVerifier, raw, groupsClaim string) (mcpserver.Identity, error) {
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return mcpserver.Identity{}, err
	}
	if token.Subject == "" || len(token.Subject) > maxSubject {
		return mcpserver.Identity{}, errors.New("the token has no subject, or its subject is too long")
	}
	var claims struct {
		Scope string `json:"scope"`
	}
	if err := token.Claims(&claims); err != nil {
		return mcpserver.Identity{}, err
	}
	groups, err := groupsIn(token, groupsClaim)
	if err != nil {
		return mcpserver.Identity{}, err
	}
	return mcpserver.Identity{User: token.Subject, Groups: groups, Expires: token.Expiry, Scopes: strings.Fields(claims.Scope)}, nil
}

// groupsIn returns the groups in a claim of a token. A claim of another type is an error, because a
// server that ignored it could give the user another tenant.
func groupsIn(token *oidc.IDToken, claim string) (groups []string, err error) {
	var claims map[string]json.RawMessage
	if err := token.Claims(&claims); err != nil || claims[claim] == nil {
		return nil, err
	}
	var group string
	if json.Unmarshal(claims[claim], &group) == nil {
		return []string{group}, nil
	}
	if json.Unmarshal(claims[claim], &groups) != nil {
		return nil, errors.New("the claim with the groups is neither a list of strings nor a string")
	}
	return groups, nil
}

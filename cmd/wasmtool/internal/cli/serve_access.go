package cli

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/mcpserver/oauth"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// The names of the OAuth flags.
const (
	oauthIssuer   = "oauth-issuer"
	oauthResource = "oauth-resource"
	oauthAudience = "oauth-audience"
	oauthScope    = "oauth-scope"
	oauthGroups   = "oauth-groups"
)

// tokenEnv names the variable that holds the token that HTTP clients must send.
const tokenEnv = "WASMTOOL_SERVE_TOKEN"

// checkAccess refuses flags for HTTP access that contradict each other or lack another flag.
func (o *serveOptions) checkAccess(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if o.http == "" {
		for _, name := range []string{"token-file", "allow-host", oauthIssuer, oauthResource, oauthAudience, oauthScope, oauthGroups} {
			if given(name) {
				return usage(cmd, "--"+name+" requires --http")
			}
		}
	}
	switch {
	case given(oauthIssuer) != given(oauthResource):
		return usage(cmd, "--"+oauthIssuer+" and --"+oauthResource+" must be given together")
	case given(oauthIssuer) && given("token-file"):
		return usage(cmd, "--"+oauthIssuer+" and --token-file cannot be combined")
	case !given(oauthIssuer) && (given(oauthAudience) || given(oauthScope) || given(oauthGroups)):
		return usage(cmd, "--"+oauthAudience+", --"+oauthScope+" and --"+oauthGroups+" require --"+oauthIssuer)
	}
	return nil
}

// access returns the access control for HTTP clients.
func (o *serveOptions) access(ctx context.Context) (mcpserver.HTTPOptions, error) {
	access := mcpserver.HTTPOptions{Hosts: o.hosts}
	var err error
	if access.Tokens, err = o.tenantTokens(ctx); err != nil || access.Tokens != nil {
		return access, err
	}
	// The file can have tenants later, so each request asks for its client's tenant.
	access.Tenant = func(id mcpserver.Identity) (string, error) { return standard.TenantOf(o.current(), id.User, id.Groups) }
	if o.oauth.Issuer == "" {
		access.Token, err = o.token(ctx)
		return access, err
	}
	access.Authority, err = oauth.New(ctx, o.oauth)
	return access, unusableOAuth(err)
}

// tenantTokens returns the tokens of the tenants in the operator's file, by the names of the
// tenants, or nil if the file has no tenants or the users of OAuth are the tenants.
func (o *serveOptions) tenantTokens(ctx context.Context) (map[string]string, error) {
	tenants := o.operator.Tenants()
	if len(tenants) == 0 {
		return nil, nil
	}
	if err := o.checkTenants(o.operator); err != nil {
		return nil, err
	}
	tokens := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		t := tenants[name]
		if t.Token.Kind == "" {
			continue
		}
		value, err := standard.TenantSecret(o.operator, t.Token).Value(ctx)
		if err != nil {
			return nil, tool.Errorf(tool.CodeUsage, "%s: tenants.%s: the token %v", t.Source, name, err)
		}
		tokens[name] = strings.TrimSpace(string(value))
	}
	if o.oauth.Issuer != "" {
		return nil, nil
	}
	own, err := o.token(ctx)
	if err != nil {
		return nil, err
	}
	if own != "" {
		return nil, tool.Errorf(tool.CodeUsage, "the operator's file has [tenants], so clients send the token of a tenant; remove --token-file and $%s", tokenEnv)
	}
	if len(tokens) == 0 {
		return nil, tool.Errorf(tool.CodeUsage, "no tenant in the operator's file has a token; write token_env or token_file, or use --%s", oauthIssuer)
	}
	return tokens, nil
}

// checkTenants refuses a file in which a tenant has a token although clients send tokens of an
// authorization server. It warns about tenants in a file that is read again, if all clients of the
// server are one tenant.
func (o *serveOptions) checkTenants(file *config.Config) error {
	tenants := file.Tenants()
	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		if t := tenants[name]; o.oauth.Issuer != "" && t.Token.Kind != "" {
			return tool.Errorf(tool.CodeUsage, "%s: tenants.%s: a token cannot be combined with --%s, whose clients send tokens of the issuer; write subjects or groups instead of the token", t.Source, name, oauthIssuer)
		}
	}
	if o.http != "" && o.oauth.Issuer == "" && len(o.operator.Tenants()) == 0 && len(tenants) > 0 {
		o.printWarnings("the operator's file has [tenants] now, so all clients are refused; restart the command to accept the tokens of tenants")
	}
	return nil
}

// refusedAccess returns the error for an address that must not be served with this access control.
func (o *serveOptions) refusedAccess(err error) error {
	if !errors.Is(err, mcpserver.ErrTenants) && (errors.Is(err, mcpserver.ErrTokenNeeded) || errors.Is(err, mcpserver.ErrTokenShort)) {
		return tool.Errorf(tool.CodeUsage, "--http %s: %v; set a token in $%s or --token-file", o.http, err, tokenEnv)
	}
	return unusableOAuth(err)
}

// unusableOAuth turns an error caused by the OAuth flags or the tokens of tenants into a usage
// error.
func unusableOAuth(err error) error {
	if errors.Is(err, mcpserver.ErrOAuth) || errors.Is(err, mcpserver.ErrTenants) {
		return &tool.Error{Code: tool.CodeUsage, Message: err.Error()}
	}
	return err
}

// token returns the token that HTTP clients must send, or "" if they need none.
func (o *serveOptions) token(ctx context.Context) (string, error) {
	if o.tokenFile == "" {
		token, _ := o.getenv(tokenEnv)
		return strings.TrimSpace(token), nil
	}
	data, err := secret.FromFile(o.tokenFile).Value(ctx)
	if err != nil {
		return "", tool.Errorf(tool.CodeUsage, "--token-file %s: the token %v", o.tokenFile, err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", tool.Errorf(tool.CodeUsage, "--token-file %s: the file is empty; write the token into it", o.tokenFile)
	}
	return token, nil
}

func listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, tool.Errorf(tool.CodeUsage, "%s %s: %v; write HOST:PORT, such as 127.0.0.1:8080", flag, addr, err)
	}
	return l, nil
}

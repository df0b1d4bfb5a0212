package openapi

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// secure sets the secrets of the request. If the document allows alternatives, secure uses the
// first alternative that a manifest can express.
func (op *operation) secure() *problem {
	ways := op.node.get("security")
	ways = cmp.Or(ways, op.root.get("security"))
	var first *problem
	for _, way := range ways.elements() {
		secrets, prob := op.secretsOf(way)
		if prob == nil {
			op.request.Secrets = secrets
			return nil
		}
		first = cmp.Or(first, prob)
	}
	return first
}

// secretsOf returns the secrets of one alternative. The request needs all of them.
func (op *operation) secretsOf(way *node) ([]tooldir.Secret, *problem) {
	var list []tooldir.Secret
	for _, name := range way.names() {
		scheme, prob := op.resolve(op.root.get("components").get("securitySchemes").get(name))
		if prob != nil {
			return nil, prob
		}
		if scheme == nil {
			return nil, problemAt(way, fmt.Sprintf("there is no security scheme %s; add it to components.securitySchemes", stricttoml.Quote(name)))
		}
		use, prob := secretOf(scheme, name)
		if prob != nil {
			return nil, prob
		}
		use.Name = op.nameSecret(name)
		list = append(list, use)
	}
	return list, nil
}

// secretOf returns the header or query parameter that carries the secret of a security scheme.
func secretOf(scheme *node, name string) (tooldir.Secret, *problem) {
	kind, in := scheme.get("type").content(), scheme.get("in").content()
	how := strings.ToLower(scheme.get("scheme").content())
	where := scheme.get("name").content()
	switch {
	case kind == "apiKey" && in == "header":
		return tooldir.Secret{Header: where}, nil
	case kind == "apiKey" && in == "query":
		return tooldir.Secret{Query: where}, nil
	case kind == "apiKey" && in == "cookie":
		return tooldir.Secret{Header: "Cookie", Prefix: where + "="}, nil
	case kind == "http" && how == "basic":
		return tooldir.Secret{Basic: true}, nil
	case kind == "http" && how == "bearer", kind == "oauth2", kind == "openIdConnect":
		// The host adds the token to requests, but does not obtain it: the operator must do that.
		return tooldir.Secret{Header: "Authorization", Prefix: "Bearer "}, nil
	}
	return tooldir.Secret{}, problemAt(scheme, fmt.Sprintf("a manifest cannot express the security scheme %s (%s)", stricttoml.Quote(name), strings.TrimSpace(kind+" "+in+how)))
}

// nameSecret returns the name of a scheme's secret, which includes the server. Many documents name
// their scheme "bearerAuth", and a server must not get the secret for the server of another
// document.
func (op *operation) nameSecret(scheme string) string {
	server := serverName(op.request.BaseURL)
	key := server + " " + scheme
	if op.secretNames[key] == "" {
		op.secretNames[key] = op.secretsTaken.Take(secretName(server, scheme))
	}
	return op.secretNames[key]
}

// serverName identifies the server that receives requests to a URL. For HTTPS on the default port,
// the result is the host. Otherwise the result includes the scheme or the port as well.
func serverName(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	switch {
	case u.Scheme == "http":
		return host + ".http." + cmp.Or(port, "80")
	case port != "" && port != "443":
		return host + "." + port
	}
	return host
}

package openapi

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// secure finds the secrets of the request: those of the first way of authentication that
// a manifest can say.
func (op *operation) secure() *problem {
	ways := op.node.get("security")
	if ways == nil {
		ways = op.root.get("security")
	}
	var first *problem
	for _, way := range ways.elements() {
		secrets, fault := op.secretsOf(way)
		if fault == nil {
			op.request.Secrets = secrets
			return nil
		}
		first = cmp.Or(first, fault)
	}
	return first
}

// secretsOf are the secrets of one way, all of which are needed.
func (op *operation) secretsOf(way *node) ([]tooldir.Secret, *problem) {
	var list []tooldir.Secret
	for _, name := range way.names() {
		scheme, fault := op.resolve(op.root.get("components").get("securitySchemes").get(name))
		if fault != nil {
			return nil, fault
		}
		if scheme == nil {
			return nil, problemAt(way, fmt.Sprintf("there is no security scheme %s", stricttoml.Quote(name)))
		}
		use, fault := secretOf(scheme, name)
		if fault != nil {
			return nil, fault
		}
		use.Name = op.nameSecret(name)
		list = append(list, use)
	}
	return list, nil
}

// secretOf says where the secret of a scheme goes.
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
		return tooldir.Secret{Header: "Authorization", Prefix: "Bearer "}, nil // a token that the operator has
	}
	return tooldir.Secret{}, problemAt(scheme, fmt.Sprintf("the security scheme %s (%s) cannot be said in a manifest", stricttoml.Quote(name), strings.TrimSpace(kind+" "+in+how)))
}

// nameSecret names the secret of a scheme after the server as well: "bearerAuth" is what
// many documents call theirs, and the secret of one must not go to the server of another.
func (op *operation) nameSecret(scheme string) string {
	server := serverName(op.request.BaseURL)
	key := server + " " + scheme
	if op.secretNames[key] == "" {
		op.secretNames[key] = op.secretsTaken.Take(secretName(server, scheme))
	}
	return op.secretNames[key]
}

// serverName is who gets what is sent to a URL: its host alone where it is encrypted and goes
// to the usual port, and else with what is unusual, in a form that no host has.
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

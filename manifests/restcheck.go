package manifests

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// kind checks that the manifest has exactly one of [module], [rest] and [mcp].
func (c *checker) kind(m *Manifest) {
	var kinds []string
	for _, kind := range []string{"module", "script", "rest", "mcp"} {
		if c.Root().Get(kind) != nil {
			kinds = append(kinds, kind)
		}
	}
	switch {
	case len(kinds) == 0:
		c.Errorf(stricttoml.Place{Key: "module", Offset: stricttoml.WholeFile}, "missing; add [module] with the path of the program, [script] with the path of a script, [rest] with the URL of the request, or [mcp] with a tool of an MCP server")
	case len(kinds) > 1:
		c.Errorf(c.At(kinds[len(kinds)-1]), "the manifest has [%s] as well; keep one of the two", kinds[0])
	case m.MCP != nil:
		c.mcp()
	case m.REST != nil:
		c.rest(m)
	}
}

// rest checks the rules that involve more than one key of a request, and derives the permissions
// from the request.
func (c *checker) rest(m *Manifest) {
	r := m.REST
	for _, key := range []string{"memory", "fuel", "open_files"} {
		if c.Root().Get("limits").Get(key) != nil {
			c.Errorf(c.At("limits", key), "is only for programs, but the tool is a request; leave it out")
		}
	}
	if c.Root().Get("shell") != nil {
		c.Errorf(c.At("shell"), "a request runs no script; remove shell")
	}
	c.restPermissions(m)
	if r.BaseURL == "" && r.URLFrom == "" && !c.HasError(c.At("rest")) {
		c.Errorf(c.At("rest").Member("base_url", c.Root().Get("rest").Offset), `missing; add a URL, such as base_url = "https://api.example.com/v1"`)
	}
	if r.URLFrom != "" && c.Root().Get("rest").Get("path") != nil {
		c.Errorf(c.At("rest", "path"), "url is the whole URL; remove path, or write base_url and path without url")
	}
	if r.Body.Kind != BodyNone && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		c.Errorf(c.At("rest", "body"), "a %s request has no body; remove body, or write another method", r.Method)
	}
	c.restOutput(m)
	c.sameHeaders(r)
	if c.HasError(c.At("rest")) {
		return
	}
	c.checkSecretFields(r, c.request.Secrets)
	if r.URLFrom != "" {
		return
	}
	prefix, whole := r.Path.Leading()
	if !whole {
		prefix = prefix[:strings.LastIndexByte(prefix, '/')+1]
	}
	var err error
	if c.request.URL, err = capability.ParseURLPattern(r.BaseURL + prefix); err != nil {
		c.Errorf(c.At("rest", "path"), "%s", err)
		return
	}
	if r.MethodFrom != "" {
		return
	}
	c.request.Methods = []string{r.Method}
	if err := c.request.Validate(); err != nil {
		steps, message := splitField(err)
		c.Errorf(c.At(append([]string{"rest"}, steps...)...), "%s", message)
		return
	}
	m.Permissions = capability.Permissions{Net: []capability.Net{c.request}}
}

// restPermissions checks [permissions]. They are only for a request whose URL or method is an
// argument, and list the requests that its calls may send.
func (c *checker) restPermissions(m *Manifest) {
	permissions := c.Root().Get("permissions")
	if !m.REST.Varies() {
		if permissions != nil {
			c.Errorf(c.At("permissions"), "a tool with [rest] asks only for its own request; remove [permissions]")
		}
		return
	}
	for _, key := range []string{"env", "kv", "clock", "random", "fs"} {
		if permissions.Get(key) != nil {
			c.Errorf(c.At("permissions", key), "is only for programs, but the tool is a request; leave it out")
		}
	}
	if len(c.request.Secrets) > 0 {
		c.Errorf(c.At("rest", "secrets"), "url or method is an argument; write each secret as [[permissions.net.secrets]], below the URL that it is for")
	}
	key := "url"
	if m.REST.URLFrom == "" {
		key = "method"
	}
	if len(m.asks) == 0 && !c.HasError(c.At("permissions")) {
		c.Errorf(c.At("rest", key), "is an argument; list the URLs and methods that calls may use as [[permissions.net]]")
	}
}

func (c *checker) restOutput(m *Manifest) {
	r := m.REST
	if r.Select == nil && c.Root().Get("result") == nil {
		return
	}
	if r.Output == RESTText {
		c.Errorf(c.At("rest", "output"), `select and [result] cannot describe "text"; write "json", or leave them out`)
	}
	r.Output = RESTJSON
}

// sameHeaders reports headers that differ only in case.
func (c *checker) sameHeaders(r *REST) {
	seen := make(map[string]string)
	for _, f := range r.Headers {
		canonical := http.CanonicalHeaderKey(f.Name)
		if earlier, ok := seen[canonical]; ok {
			c.Errorf(c.At("rest", "headers", f.Name), "is the same header as %s; keep one", stricttoml.Quote(earlier))
		}
		seen[canonical] = f.Name
	}
}

// checkSecretFields reports each header and query parameter that one of the secrets would
// overwrite.
func (c *checker) checkSecretFields(r *REST, secrets []capability.SecretUse) {
	const message = "the secret %s is sent in the same place; remove one of the two"
	for _, s := range secrets {
		header := s.Header
		if s.Basic {
			header = "Authorization"
		}
		for _, f := range r.Headers {
			if header != "" && strings.EqualFold(f.Name, header) {
				c.Errorf(c.At("rest", "headers", f.Name), message, s.Name)
			}
		}
		for _, f := range r.Query {
			if f.Name == s.Query {
				c.Errorf(c.At("rest", "query", f.Name), message, s.Name)
			}
		}
	}
}

// restUses checks that every call has a value for each parameter in the path, and that the request
// uses each parameter.
func (c *checker) restUses(m *Manifest) {
	r := m.REST
	if r == nil || c.HasError(c.At("rest")) {
		return
	}
	parameters := m.Parameters.Parameters()
	for _, part := range []struct {
		key   string
		names []string
	}{{"url", []string{r.URLFrom}}, {"method", []string{r.MethodFrom}}, {"path", r.Path.Parameters()}} {
		for _, name := range part.names {
			optional := func(p jsonschema.Parameter) bool { return p.Name == name && !p.Required && p.Default == nil }
			if name != "" && slices.ContainsFunc(parameters, optional) {
				c.Errorf(c.At("rest", part.key), "%s may be missing in a call, but the %s needs it; make it required, or give it a default", stricttoml.Quote("{"+name+"}"), part.key)
			}
		}
	}
	if r.Varies() {
		c.restMethods(m, parameters)
	}
	if r.Body.Kind == BodyRest {
		return
	}
	used := r.Named()
	for _, name := range r.Body.Parameters {
		used[name] = true
	}
	for _, p := range parameters {
		if !used[p.Name] {
			at := c.At("parameters", "properties", p.Name)
			if m.ParametersFile != "" {
				at = c.At("parameters_file")
			}
			c.Errorf(at, "the request does not use the parameter %s; name it in path, query, headers or body", stricttoml.Quote(p.Name))
		}
	}
}

// restMethods checks that [[permissions.net]] lists the methods that calls may use: the method of
// the request, or the values that the schema allows for its parameter.
func (c *checker) restMethods(m *Manifest, parameters []jsonschema.Parameter) {
	r := m.REST
	requested := func(method string) bool {
		return slices.ContainsFunc(m.asks, func(a ask) bool {
			return slices.Contains(a.net.Methods, method) || method == http.MethodGet && len(a.net.Methods) == 0
		})
	}
	if r.Method != "" && !requested(r.Method) {
		c.Errorf(c.At("rest", "method"), "no entry of [[permissions.net]] lists %s; add it to methods", r.Method)
	}
	for _, p := range parameters {
		if p.Name != r.MethodFrom {
			continue
		}
		for _, value := range p.Enum {
			var method string
			if err := json.Unmarshal(value, &method); err != nil || !requested(method) {
				c.Errorf(c.At("rest", "method"), "the parameter %s allows %s, but no entry of [[permissions.net]] lists it; add it to methods, or remove it from the enum", stricttoml.Quote(p.Name), plaintext.Visible(string(value)))
			}
		}
	}
}

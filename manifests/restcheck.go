package manifests

import (
	"net/http"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// kind checks that the manifest says what the tool is, once.
func (c *checker) kind(m *Manifest) {
	root := c.Root()
	hasModule, hasREST := root.Get("module") != nil, root.Get("rest") != nil
	switch {
	case hasModule && hasREST:
		c.Errorf(c.At("rest"), "the manifest has [module] as well; keep one of the two")
	case !hasModule && !hasREST:
		c.Errorf(stricttoml.Place{Key: "module", Offset: stricttoml.WholeFile}, "missing; add [module] with the path of the program, or [rest] with the URL to ask")
	}
	if m.REST != nil && !hasModule {
		c.rest(m)
	}
}

// rest checks what concerns more than one key of a request, and derives from it what
// the tool asks for.
func (c *checker) rest(m *Manifest) {
	r := m.REST
	for _, key := range []string{"memory", "fuel", "open_files"} {
		if c.Root().Get("limits").Get(key) != nil {
			c.Errorf(c.At("limits", key), "is for programs, and the tool is a request; leave it out")
		}
	}
	if c.Root().Get("shell") != nil {
		c.Errorf(c.At("shell"), "a request runs no script; leave it out")
	}
	if c.Root().Get("permissions") != nil {
		c.Errorf(c.At("permissions"), "a tool with [rest] asks for its own request and for nothing else; leave it out")
	}
	if r.Body.Kind != BodyNone && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		c.Errorf(c.At("rest", "body"), "%s has no body; leave it out, or write another method", r.Method)
	}
	c.restOutput(m)
	c.sameHeaders(r)
	if c.HasError(c.At("rest")) {
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
	c.request.Methods = []string{r.Method}
	if err := c.request.Validate(); err != nil {
		steps, message := splitField(err)
		c.Errorf(c.At(append([]string{"rest"}, steps...)...), "%s", message)
		return
	}
	c.covered(r)
	m.Permissions = capability.Permissions{Net: []capability.Net{c.request}}
}

func (c *checker) restOutput(m *Manifest) {
	r := m.REST
	if r.Select == nil && c.Root().Get("result") == nil {
		return
	}
	if r.Output == RESTText {
		c.Errorf(c.At("rest", "output"), `"text" has nothing that select or [result] could speak of; write "json", or leave them out`)
	}
	r.Output = RESTJSON
}

// sameHeaders reports headers that are one in other letters.
func (c *checker) sameHeaders(r *REST) {
	seen := make(map[string]string)
	for _, f := range r.Headers {
		canonical := http.CanonicalHeaderKey(f.Name)
		if earlier, ok := seen[canonical]; ok {
			c.Errorf(c.At("rest", "headers", f.Name), "is the header %s in other letters; keep one", stricttoml.Quote(earlier))
		}
		seen[canonical] = f.Name
	}
}

// covered reports what a secret takes the place of.
func (c *checker) covered(r *REST) {
	const text = "the secret %s goes there; leave one of the two out"
	for _, s := range c.request.Secrets {
		header := s.Header
		if s.Basic {
			header = "Authorization"
		}
		for _, f := range r.Headers {
			if header != "" && strings.EqualFold(f.Name, header) {
				c.Errorf(c.At("rest", "headers", f.Name), text, s.Name)
			}
		}
		for _, f := range r.Query {
			if f.Name == s.Query {
				c.Errorf(c.At("rest", "query", f.Name), text, s.Name)
			}
		}
	}
}

// restUses checks that the request has all of its path in every call, and that each
// parameter is for something.
func (c *checker) restUses(m *Manifest) {
	r := m.REST
	if r == nil || c.HasError(c.At("rest")) {
		return
	}
	parameters := m.Parameters.Parameters()
	for _, name := range r.Path.Parameters() {
		optional := func(p jsonschema.Parameter) bool { return p.Name == name && !p.Required && p.Default == nil }
		if slices.ContainsFunc(parameters, optional) {
			c.Errorf(c.At("rest", "path"), "%s may be missing in a call, and the path needs it; make it required, or give it a default", stricttoml.Quote("{"+name+"}"))
		}
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
			c.Errorf(at, "the request has no place for the parameter %s; name it in path, query, headers or body", stricttoml.Quote(p.Name))
		}
	}
}

package manifests

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// maxFieldName limits the name of a query parameter, in bytes.
const maxFieldName = 128

func (c *checker) restKeys(m *Manifest) []stricttoml.Key {
	r := &REST{Method: http.MethodGet}
	m.REST = r
	c.request = capability.Net{}
	return []stricttoml.Key{
		{Name: "base_url", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &r.BaseURL, parseBaseURL)},
		{Name: "url", Want: stricttoml.WantString, Read: c.parameter(&r.URLFrom, `write one "{parameter}", or base_url and path for a URL that is not an argument`)},
		{Name: "method", Want: stricttoml.WantString, Read: c.method(r)},
		{Name: "path", Want: stricttoml.WantString, Read: c.urlPath(r)},
		{Name: "query", Path: "rest.query", Want: stricttoml.WantMap, Check: checkQueryName, Entry: c.field(&r.Query)},
		{Name: "headers", Path: "rest.headers", Want: stricttoml.WantMap, Check: checkHeaderName, Entry: c.field(&r.Headers)},
		{Name: "extra_headers", Want: stricttoml.WantString, Read: c.parameter(&r.HeadersFrom, `write one "{parameter}", whose value is an object`)},
		{
			Name: "body", Want: stricttoml.WantString, Read: c.bodyText(r),
			Or: &stricttoml.Key{Want: stricttoml.WantStrings, Read: c.bodyFields(r)},
		},
		{Name: "secrets", Path: "rest.secrets", Want: stricttoml.WantTables, Members: func() []stricttoml.Key { return c.secretKeys(&c.request) }},
		{Name: "output", Want: stricttoml.WantString, Choices: []string{OutputText.String(), OutputJSON.String()}, Read: stricttoml.ReadString(c.Checker, &r.Output, parseRESTOutput)},
		{Name: "select", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &r.Select, parsePointer)},
	}
}

// parseBaseURL reads the URL of one host and removes a slash at its end.
func parseBaseURL(text string) (string, error) {
	p, err := capability.ParseURLPattern(text)
	if err != nil {
		return "", err
	}
	if p.IsAny() || p.IsWildcard() {
		return "", fmt.Errorf("%s matches more than one host; write the URL of one host", stricttoml.Quote(text))
	}
	return strings.TrimSuffix(p.String(), "/"), nil
}

// method reads a method, or the placeholder of the parameter with the method.
func (c *checker) method(r *REST) stricttoml.Reader {
	fixed, argument := stricttoml.ReadString(c.Checker, &r.Method, parseMethod), c.parameter(&r.MethodFrom, `write one "{parameter}", or a method`)
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if strings.HasPrefix(n.Text, "{") {
			r.Method = ""
			argument(at, n)
			return
		}
		fixed(at, n)
	}
}

func (c *checker) urlPath(r *REST) stricttoml.Reader {
	return stricttoml.ReadWith(c.Checker, parseURLPath, func(at stricttoml.Place, t placeholder.Template) {
		c.placeholders(at, t.Parameters()...)
		r.Path = t
	})
}

// parseURLPath reads the path of a URL with placeholders.
func parseURLPath(text string) (placeholder.Template, error) {
	none := placeholder.Template{}
	switch {
	case len(text) > maxArg:
		return none, tooLong(text, maxArg)
	case !strings.HasPrefix(text, "/"):
		return none, fmt.Errorf("%s does not begin with a slash; add the slash", stricttoml.Quote(text))
	case strings.ContainsAny(text, "?#"):
		return none, fmt.Errorf(`%s contains a "?" or "#"; move the query to [rest.query]`, stricttoml.Quote(text))
	}
	t, err := placeholder.Parse(text)
	if err != nil {
		return none, err
	}
	// Replace each placeholder with "x", to check that the text around the placeholders is a path.
	path, err := t.Expand(len(text)+maxArg, func(string) (string, bool) { return "x", true })
	if err != nil {
		return none, err
	}
	u, err := url.Parse("https://host" + path)
	if err != nil {
		return none, fmt.Errorf("%s is not the path of a URL; write %%25 for a percent sign", stricttoml.Quote(text))
	}
	normal, err := capability.NormaliseURL(u)
	if err != nil {
		return none, err
	}
	if strings.Count(normal.EscapedPath(), "/") != strings.Count(path, "/") {
		return none, fmt.Errorf(`%s has "." or ".." between slashes; leave them out`, stricttoml.Quote(text))
	}
	return t, nil
}

// field returns the format of a header or query parameter. Its reader appends the field to list.
func (c *checker) field(list *[]Field) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		read := stricttoml.ReadWith(c.Checker, parseFieldValue, func(at stricttoml.Place, text string) {
			*list = append(*list, Field{Name: name, Value: c.template(at, text)})
		})
		return stricttoml.Key{Want: stricttoml.WantString, Read: read}
	}
}

func parseFieldValue(text string) (string, error) {
	if len(text) <= maxArg && strings.ContainsAny(text, "\r\n") {
		return "", errors.New("contains a line break; write one line")
	}
	return parseArg(text)
}

func checkQueryName(name string) error {
	switch {
	case name == "":
		return errors.New("has no name; write a name")
	case len(name) > maxFieldName:
		return tooLong(name, maxFieldName)
	case !plaintext.Plain(name, plaintext.Word):
		return fmt.Errorf("%s contains a character that is not printable; leave it out", stricttoml.Quote(name))
	}
	return nil
}

func checkHeaderName(name string) error {
	if http.CanonicalHeaderKey(name) == "Accept-Encoding" {
		return errors.New("the host sets this header; leave it out")
	}
	return egress.CheckHeader(name)
}

// bodyText reads the body as a string, with the same values as module.stdin.
func (c *checker) bodyText(r *REST) stricttoml.Reader {
	return stricttoml.ReadWith(c.Checker, parseStdin, func(at stricttoml.Place, read Stdin) {
		switch read.Kind {
		case StdinJSON:
			r.Body = Body{Kind: BodyRest}
		case StdinParameter:
			c.placeholders(at, read.Parameter)
			r.Body = Body{Kind: BodyParameter, Parameters: []string{read.Parameter}}
		}
	})
}

func (c *checker) bodyFields(r *REST) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if len(n.Items) == 0 {
			c.Errorf(at, `is empty; name parameters, or write "json" for all others, or "none"`)
			return
		}
		r.Body.Kind = BodyFields
		stricttoml.ReadStrings(c.Checker, &r.Body.Parameters, func(name string) (string, error) { return name, nil })(at, n)
		for i, name := range r.Body.Parameters {
			c.placeholders(n.Locate(at, fmt.Sprint(i)), name)
		}
	}
}

func parseRESTOutput(text string) (RESTOutput, error) {
	output, err := stricttoml.ParseChoice(text, OutputText, OutputJSON)
	return map[Output]RESTOutput{OutputText: RESTText, OutputJSON: RESTJSON}[output], err
}

// parsePointer reads a JSON pointer. It refuses "", which would be the whole document.
func parsePointer(text string) ([]string, error) {
	switch {
	case len(text) > maxArg:
		return nil, tooLong(text, maxArg)
	case !strings.HasPrefix(text, "/"):
		return nil, fmt.Errorf("%s is not a JSON pointer; write /NAME for the field NAME of the response", stricttoml.Quote(text))
	}
	tokens, ok := jsontree.ParsePointer(text)
	if !ok {
		return nil, fmt.Errorf("%s is not a JSON pointer; write ~0 for ~ and ~1 for a slash in a name", stricttoml.Quote(text))
	}
	return tokens, nil
}

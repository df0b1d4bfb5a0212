package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

func (c *checker) exampleKeys(m *Manifest) []stricttoml.Key {
	m.Examples = append(m.Examples, Example{})
	e := &m.Examples[len(m.Examples)-1]
	return []stricttoml.Key{
		{Name: "title", Want: stricttoml.WantString, Required: `a title, such as title = "Count the words of a file"`, Read: stricttoml.ReadString(c.Checker, &e.Title, parseTitle)},
		{Name: "arguments", Want: stricttoml.WantJSON, Read: c.json(&e.Arguments)},
		{Name: "before", Want: stricttoml.WantAny, Read: c.exampleCalls(e)},
		{Name: "files", Path: "examples.files", Want: stricttoml.WantMap, Check: checkExamplePath, Entry: exampleFile(&e.Files), Read: c.exampleFiles(&e.Files)},
		{Name: "output", Want: stricttoml.WantString, Read: func(_ stricttoml.Place, n *stricttoml.Node) { e.Output, e.HasOutput = n.Text, true }},
		{Name: "contains", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &e.Contains, parseFilled)},
		{Name: "after", Path: "examples.after", Want: stricttoml.WantMap, Check: checkExamplePath, Entry: exampleFile(&e.After), Read: c.exampleFiles(&e.After)},
		{Name: "gone", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &e.Gone, parseExamplePath)},
		stricttoml.Choice(c.Checker, stricttoml.Key{Name: "error"}, &e.Error, ErrorCodes()...),
		{Name: "now", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &e.Now, parseInstant)},
		{Name: "seed", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(c.Checker, &e.Seed, 1, MaxSeed)},
		{Name: "http", Path: "examples.http", Want: stricttoml.WantTables, Members: func() []stricttoml.Key { return c.exampleRequestKeys(e) }},
		{Name: "secrets", Path: "examples.secrets", Want: stricttoml.WantMap, Entry: stringsByName(&e.Secrets)},
		{Name: "store", Path: "examples.store", Want: stricttoml.WantMap, Entry: stringsByName(&e.Store)},
		{Name: "store_after", Path: "examples.store_after", Want: stricttoml.WantMap, Entry: stringsByName(&e.StoreAfter), Read: func(stricttoml.Place, *stricttoml.Node) {
			if e.StoreAfter == nil {
				e.StoreAfter = make(map[string]string) // the store must be empty
			}
		}},
		{Name: "network", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&e.Network)},
	}
}

func (c *checker) exampleRequestKeys(e *Example) []stricttoml.Key {
	e.HTTP = append(e.HTTP, ExampleRequest{Method: http.MethodGet, Status: http.StatusOK})
	r := &e.HTTP[len(e.HTTP)-1]
	return []stricttoml.Key{
		{Name: "method", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &r.Method, parseMethod)},
		{Name: "url", Want: stricttoml.WantString, Required: `a URL, such as url = "https://api.example.com/v1/items?page=1"`, Read: stricttoml.ReadString(c.Checker, &r.URL, parseExampleURL)},
		{Name: "sends", Path: "examples.http.sends", Want: stricttoml.WantTable, Members: func() []stricttoml.Key {
			return []stricttoml.Key{
				{Name: "headers", Path: "examples.http.sends.headers", Want: stricttoml.WantMap, Check: egress.CheckHeader, Entry: stringsByName(&r.SendsHeaders)},
				c.exampleBody(&r.SendsBody),
			}
		}},
		{Name: "status", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(c.Checker, &r.Status, 200, 599)},
		{Name: "headers", Path: "examples.http.headers", Want: stricttoml.WantMap, Check: checkAnswerHeader, Entry: stringsByName(&r.Headers)},
		c.exampleBody(&r.Body),
		{Name: "body_file", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &r.BodyFile, parseSchemaPath)},
	}
}

// exampleBody returns the key of a body, which is a string, or a table that stands for JSON.
func (c *checker) exampleBody(body *ExampleBody) stricttoml.Key {
	return stricttoml.Key{
		Name: "body", Want: stricttoml.WantString, Fix: "write the body in quotes, or a table that stands for JSON",
		Read: func(_ stricttoml.Place, n *stricttoml.Node) { *body = ExampleBody{Text: n.Text, Set: true} },
		Or: &stricttoml.Key{Name: "body", Want: stricttoml.WantJSON, Read: func(at stricttoml.Place, n *stricttoml.Node) {
			if raw, ok := c.JSON(at, n); ok {
				*body = ExampleBody{Text: string(raw), JSON: true, Set: true}
			}
		}},
	}
}

// checkAnswerHeader refuses headers that would contradict how the answer is transported.
func checkAnswerHeader(name string) error {
	if http.CanonicalHeaderKey(name) == "Content-Encoding" {
		return errors.New("the body of an example is not encoded; leave the header out")
	}
	return egress.CheckHeader(name)
}

// parseExampleURL returns the canonical form of a URL, as a tool's request has it.
func parseExampleURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", errors.New(`is not a URL; write a URL such as "https://api.example.com/v1/items?page=1"`)
	}
	if u.Fragment != "" {
		return "", errors.New("has a fragment, which is never sent; remove # and what follows")
	}
	if u, err = capability.NormaliseURL(u); err != nil {
		return "", err
	}
	return u.String(), nil
}

// exampleCalls reads a list of arguments. An invalid element keeps its index in the list, so that
// the indices in later errors are right.
func (c *checker) exampleCalls(e *Example) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if n.Kind != stricttoml.KindList {
			c.Errorf(at, "expected a list, got %s; write the arguments of each call in braces: [{ ... }]", n.Kind)
			return
		}
		if len(n.Items) > MaxExampleCalls {
			c.Errorf(at, "has %d calls; the limit is %d", len(n.Items), MaxExampleCalls)
			return
		}
		e.Before = make([]json.RawMessage, len(n.Items))
		for i, item := range n.Items {
			at := at.Item(i, item.Offset)
			if item.Kind != stricttoml.KindTable {
				c.Errorf(at, "expected a table, got %s; write the arguments of a call in braces", item.Kind)
				continue
			}
			c.json(&e.Before[i])(at, item)
		}
	}
}

// exampleFile returns the key that reads the content of one file and appends the file to files.
func exampleFile(files *[]ExampleFile) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		return stricttoml.Key{Want: stricttoml.WantString, Read: func(_ stricttoml.Place, n *stricttoml.Node) {
			path, _ := parseExamplePath(name) // no error: checkExamplePath accepted the name
			*files = append(*files, ExampleFile{path, n.Text})
		}}
	}
}

// exampleFiles compares the files of a table with each other, once the whole table has been read.
func (c *checker) exampleFiles(files *[]ExampleFile) stricttoml.Reader {
	return func(at stricttoml.Place, _ *stricttoml.Node) {
		if len(*files) > MaxExampleFiles {
			c.Errorf(at, "has %d files; the limit is %d", len(*files), MaxExampleFiles)
			return
		}
		for i, one := range *files {
			for j, other := range *files {
				switch {
				case i < j && one.ExamplePath == other.ExamplePath:
					c.Errorf(at, "has %s twice; leave one out", stricttoml.Quote(one.String()))
				case one.Mount == other.Mount && strings.HasPrefix(other.Path, one.Path+"/"):
					c.Errorf(at, "%s cannot be a file, because %s is below it; remove one of the two", stricttoml.Quote(one.String()), stricttoml.Quote(other.String()))
				}
			}
		}
	}
}

func checkExamplePath(text string) error {
	_, err := parseExamplePath(text)
	return err
}

// parseExamplePath reads "path" or "mount:path".
func parseExamplePath(text string) (ExamplePath, error) {
	mount, path, named := strings.Cut(text, ":")
	if !named {
		mount, path = capability.WorkspaceMount, text
	}
	if _, err := parseWord(mount); err != nil {
		return ExamplePath{}, fmt.Errorf(`%s does not begin with a mount; write "mount:path", or a path without ":" in the mount %s`, stricttoml.Quote(text), capability.WorkspaceMount)
	}
	switch {
	case path == "":
		return ExamplePath{}, errors.New(`is empty; write a path below the mount, such as "notes/a.txt"`)
	case len(path) > maxPath:
		return ExamplePath{}, tooLong(path, maxPath)
	case strings.ContainsAny(path, `\:`) || !plaintext.Plain(path, plaintext.Word):
		return ExamplePath{}, fmt.Errorf(`%s contains a character that a path in an example must not have; write names with "/" between them`, stricttoml.Quote(text))
	case !fs.ValidPath(path) || path == ".":
		return ExamplePath{}, fmt.Errorf(`%s is not a plain path below the mount; write a path without "/" at its ends and without "." and ".."`, stricttoml.Quote(text))
	}
	return ExamplePath{Mount: mount, Path: path}, nil
}

// ErrorCodes returns the error codes that an example may expect. They are the codes of package
// registry/tool, which this package does not import.
func ErrorCodes() []string {
	return []string{
		"execution", "usage", "invalid_argument", "permission_denied", "approval_required", "timeout", "cancelled", "trap",
		"bad_guest", "resource_exhausted", "invalid_output", "not_found", "disabled", "invalid_manifest", "invalid_module",
		"network", "authentication", "rate_limited", "server", "internal",
	}
}

// parseInstant parses a time in the format of RFC 3339.
func parseInstant(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf(`%s is not a time of RFC 3339; write a time such as "2026-01-31T15:04:05Z"`, stricttoml.Quote(text))
	}
	if t = t.UTC(); t.Year() < 1970 || t.Year() > 2200 {
		return time.Time{}, fmt.Errorf("%s is out of range; write a time in the years 1970 to 2200", stricttoml.Quote(text))
	}
	return t, nil
}

// conflict returns what is wrong with the expected result of an example, or "".
func (e *Example) conflict() string {
	switch {
	case e.HasOutput && len(e.Contains) > 0:
		return "has output and contains; output is the whole text, so leave contains out"
	case !e.HasOutput && len(e.Contains) == 0 && len(e.After) == 0 && len(e.Gone) == 0 && e.StoreAfter == nil && e.Error == "":
		return "says nothing about the result of the call; add output, contains, after, gone, store_after or error"
	case slices.ContainsFunc(e.After, func(f ExampleFile) bool { return slices.Contains(e.Gone, f.ExamplePath) }):
		return "has a file both in after and in gone; leave one out"
	}
	return ""
}

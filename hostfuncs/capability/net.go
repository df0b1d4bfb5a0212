package capability

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// Net asks to send HTTP requests.
type Net struct {
	// URL says where to. AnyURL asks for whatever the operator offers.
	URL URLPattern
	// Methods are in upper case. Empty means GET only.
	Methods []string
	// Secrets are what the host is to put into each of these requests.
	Secrets []SecretUse
}

// Validate returns what is wrong with n and how to put it right.
func (n Net) Validate() error {
	if n.URL.IsZero() {
		return errors.New("url: is missing; write https://HOST/PATH")
	}
	if err := checkMethods(n.Methods); err != nil {
		return fmt.Errorf("methods: %w", err)
	}
	if len(n.Secrets) > 0 && n.URL.IsAny() {
		return errors.New(`secrets: cannot go to "any" host; name the URL that needs them in an entry of its own`)
	}
	places := make(map[string]string)
	for i, s := range n.Secrets {
		if err := s.Validate(); err != nil {
			return fmt.Errorf("secrets[%d]: %w", i, err)
		}
		if other, taken := places[s.place()]; taken {
			return fmt.Errorf("secrets[%d]: %s and %s go to the same place; keep one", i, other, s.Name)
		}
		places[s.place()] = s.Name
	}
	return nil
}

// checkNets validates each entry, and that none takes another's requests.
func checkNets(list []Net) error {
	for i, n := range list {
		if err := n.Validate(); err != nil {
			return fmt.Errorf("net[%d].%w", i, err)
		}
		for j, earlier := range list[:i] {
			if n.URL == earlier.URL && len(sharedMethods(n.asked(), earlier.asked())) > 0 {
				return fmt.Errorf("net[%d].url: %s is asked for in net[%d] already; put methods and secrets into one entry", i, n.URL, j)
			}
		}
	}
	return nil
}

// asked returns the methods asked for, at least one.
func (n Net) asked() []string {
	if len(n.Methods) == 0 {
		return []string{methodGet}
	}
	return n.Methods
}

// word names the methods unless they are what a tool gets by asking for none.
func (n Net) word() Permission {
	if containsAll([]string{methodGet}, n.Methods) {
		return netWord(KindNet, n.URL, nil)
	}
	return netWord(KindNet, n.URL, n.Methods)
}

// Describe is the permission in words with all that belongs to it: "net:https://x.example/
// (GET) with GITHUB_TOKEN in the header Authorization".
func (n Net) Describe() string {
	return describeNet(Permission{kind: KindNet, url: n.URL}, n.asked(), n.Secrets)
}

func describeNet(w Permission, methods []string, secrets []SecretUse) string {
	text := w.String() + " (" + strings.Join(methods, ", ") + ")"
	if len(secrets) > 0 {
		text += " with " + strings.Join(each(secrets, SecretUse.Describe), " and ")
	}
	return text
}

func (n Net) clone() Net {
	n.Methods = slices.Clone(n.Methods)
	n.Secrets = slices.Clone(n.Secrets)
	return n
}

// methodGet is what a tool gets that asks for no method.
const methodGet = "GET"

// changes reports whether a request of the method, in upper case, may change something.
func changes(method string) bool { return method != methodGet && method != "HEAD" }

// knownMethods are those of HTTP that a guest can ask for, and of WebDAV. CONNECT,
// TRACE and made-up ones have no use that is not an attack or a slip.
var knownMethods = []string{
	methodGet, "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY",
	"PROPFIND", "PROPPATCH", "REPORT", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK",
}

// checkMethods refuses unknown methods and ones given twice.
func checkMethods(list []string) error {
	for i, m := range list {
		if slices.Contains(list[:i], m) {
			return fmt.Errorf("the method %s is given twice; leave one out", m)
		}
		if slices.Contains(knownMethods, m) {
			continue
		}
		if near := suggest.Nearest(m, knownMethods); near != "" {
			return fmt.Errorf("%s is no method; did you mean %s?", shown(m), near)
		}
		return fmt.Errorf("%s is no method that can be granted; write one of %s", shown(m), strings.Join(knownMethods, ", "))
	}
	return nil
}

// sharedMethods returns what is in both lists, in the order of asked. An empty offered
// is every method.
func sharedMethods(asked, offered []string) []string {
	return slices.DeleteFunc(slices.Clone(asked), func(m string) bool { return len(offered) > 0 && !slices.Contains(offered, m) })
}

// containsAll reports whether every element of inner is in outer.
func containsAll(outer, inner []string) bool {
	return !slices.ContainsFunc(inner, func(m string) bool { return !slices.Contains(outer, m) })
}

package capability

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// Net requests permission to send HTTP requests.
type Net struct {
	// URL matches the URLs that the tool wants to reach. AnyURL requests every URL that the
	// operator grants.
	URL URLPattern
	// Methods are in upper case; empty means only GET.
	Methods []string
	// Secrets lists the secrets that the host should add to each of these requests.
	Secrets []SecretUse
}

// Validate returns an error that says what is wrong with n and how to fix it.
func (n Net) Validate() error {
	if n.URL.IsZero() {
		return errors.New("url: is missing; write https://HOST/PATH")
	}
	if err := checkMethods(n.Methods); err != nil {
		return fmt.Errorf("methods: %w", err)
	}
	if len(n.Secrets) > 0 && n.URL.IsAny() {
		return errors.New(`secrets: cannot be sent to "any" host; name the URL that needs them in an entry of its own`)
	}
	places := make(map[string]string)
	for i, s := range n.Secrets {
		if err := s.Validate(); err != nil {
			return fmt.Errorf("secrets[%d]: %w", i, err)
		}
		if other, taken := places[s.place()]; taken {
			return fmt.Errorf("secrets[%d]: %s and %s use the same header or query parameter; keep one", i, other, s.Name)
		}
		places[s.place()] = s.Name
	}
	return nil
}

// checkNets validates each entry, and checks that no two entries cover the same request.
func checkNets(list []Net) error {
	for i, n := range list {
		if err := n.Validate(); err != nil {
			return fmt.Errorf("net[%d].%w", i, err)
		}
		for j, earlier := range list[:i] {
			if n.URL == earlier.URL && len(sharedMethods(n.asked(), earlier.asked())) > 0 {
				return fmt.Errorf("net[%d].url: %s is already requested in net[%d]; put methods and secrets into one entry", i, n.URL, j)
			}
		}
	}
	return nil
}

// asked returns the requested methods, at least one.
func (n Net) asked() []string {
	if len(n.Methods) == 0 {
		return []string{methodGet}
	}
	return n.Methods
}

// permission returns the permission of n. It omits the methods if GET is the only one.
func (n Net) permission() Permission {
	if containsAll([]string{methodGet}, n.Methods) {
		return netPermission(KindNet, n.URL, nil)
	}
	return netPermission(KindNet, n.URL, n.Methods)
}

// Describe returns the permission with all its details: "net:https://x.example/ (GET) with
// GITHUB_TOKEN in the header Authorization".
func (n Net) Describe() string {
	return describeNet(Permission{kind: KindNet, url: n.URL}, n.asked(), n.Secrets)
}

func describeNet(p Permission, methods []string, secrets []SecretUse) string {
	text := p.String() + " (" + strings.Join(methods, ", ") + ")"
	if len(secrets) > 0 {
		text += " with " + strings.Join(each.Of(secrets, SecretUse.Describe), " and ")
	}
	return text
}

func (n Net) clone() Net {
	n.Methods = slices.Clone(n.Methods)
	n.Secrets = slices.Clone(n.Secrets)
	return n
}

// methodGet is the default method.
const methodGet = "GET"

// changes reports whether a request with this method, in upper case, may change data of the server.
func changes(method string) bool { return method != methodGet && method != "HEAD" }

// knownMethods lists the methods of HTTP and WebDAV that a guest can request. CONNECT, TRACE and
// invented methods are excluded, because their only uses are attacks and mistakes.
var knownMethods = []string{
	methodGet, "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY",
	"PROPFIND", "PROPPATCH", "REPORT", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK",
}

// checkMethods refuses unknown and duplicate methods.
func checkMethods(list []string) error {
	for i, m := range list {
		if slices.Contains(list[:i], m) {
			return fmt.Errorf("the method %s is given twice; leave one out", m)
		}
		if slices.Contains(knownMethods, m) {
			continue
		}
		if near := suggest.Nearest(m, knownMethods); near != "" {
			return fmt.Errorf("%s is not a method; did you mean %s?", shown(m), near)
		}
		return fmt.Errorf("%s is not a method that can be granted; write one of %s", shown(m), strings.Join(knownMethods, ", "))
	}
	return nil
}

// sharedMethods returns the methods in both lists, in the order of asked. An empty offered list
// means every method.
func sharedMethods(asked, offered []string) []string {
	return slices.DeleteFunc(slices.Clone(asked), func(m string) bool { return len(offered) > 0 && !slices.Contains(offered, m) })
}

// containsAll reports whether every element of inner is in outer.
func containsAll(outer, inner []string) bool {
	return !slices.ContainsFunc(inner, func(m string) bool { return !slices.Contains(outer, m) })
}

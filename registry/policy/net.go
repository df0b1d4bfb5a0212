package policy

import (
	"errors"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// netPattern is a net permission of a grant, or a pattern for such permissions. Package capability
// defines URLs, methods and private hosts; patterns add stars.
type netPattern struct {
	private   bool // includes private and loopback addresses
	any       bool // every URL
	methods   []string
	scheme    string   // "" matches both schemes
	host      []string // labels; "*" is one label, "**" any number
	port      int      // 0 if the pattern has "*" as its scheme and names no port
	ownPort   bool     // port is the default port of the scheme
	everyPort bool
	path      []string // segments of the path prefix
}

// newNetPattern converts a permission of a grant, or a pattern without its stars.
func newNetPattern(w capability.Permission) netPattern {
	u := w.URL()
	p := netPattern{
		private: w.Kind() == capability.KindNetPrivate || u.NamesLocal(), any: u.IsAny(), methods: w.Methods(),
		scheme: u.Scheme(), host: []string{u.Host()}, port: u.Port(), ownPort: u.HasDefaultPort(),
	}
	if !strings.HasPrefix(u.Host(), "[") {
		p.host = strings.Split(u.Host(), ".")
	}
	for segment := range strings.SplitSeq(u.Path(), "/") {
		if segment != "" {
			p.path = append(p.path, segment)
		}
	}
	return p
}

// parseNet parses the part of an entry after "net:" or "net-private:".
func parseNet(text string, kind capability.Kind) (netPattern, error) {
	methods := ""
	if head, rest, found := strings.Cut(text, ":"); found && !strings.HasPrefix(rest, "//") {
		if text = rest; head != "*" {
			methods = head + ":"
		}
	}
	if text == "any" || text == "*" {
		p, err := wordPatternOf(capability.KindNet, methods+"any")
		p.private = kind == capability.KindNetPrivate
		return p, err
	}
	stars, plain, err := withoutStars(text)
	if err != nil {
		return netPattern{}, err
	}
	p, err := wordPatternOf(kind, methods+plain)
	if err != nil {
		return p, err
	}
	return p, stars.into(&p)
}

func wordPatternOf(kind capability.Kind, text string) (netPattern, error) {
	// The error of NewPermission does not quote text, so the operator does not see the
	// placeholders.
	w, err := capability.NewPermission(kind, text)
	if err != nil {
		return netPattern{}, err
	}
	return newNetPattern(w), nil
}

// stars are the stars that only a pattern may have.
type stars struct {
	scheme, port bool
	portWritten  bool
	host         map[int]string // by the index of the label
	labels       int
}

// placeholder replaces a star in a URL. It is a label that no normalisation changes.
const placeholder = "x"

// withoutStars returns a URL with placeholders for the stars of a pattern.
func withoutStars(text string) (s stars, plain string, err error) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return s, "", errors.New("write a URL that begins with https:// or http://, or * for all")
	}
	if s.scheme = scheme == "*"; s.scheme {
		scheme = "https"
	}
	authority, path, slash := strings.Cut(rest, "/")
	authority, s.port = strings.CutSuffix(authority, ":*")
	s.portWritten = strings.LastIndexByte(authority, ':') > strings.LastIndexByte(authority, ']')
	labels := strings.Split(authority, ".")
	s.labels = len(labels)
	for i, label := range labels {
		// A port may follow the last label.
		name, port, _ := strings.Cut(label, ":")
		if name != "*" && name != "**" {
			continue
		}
		if s.host == nil {
			s.host = make(map[int]string)
		}
		s.host[i] = name
		if labels[i] = placeholder; port != "" {
			labels[i] += ":" + port
		}
	}
	plain = scheme + "://" + strings.Join(labels, ".")
	if slash {
		plain += "/" + strings.TrimSuffix(path, "**")
	}
	return s, plain, nil
}

// into puts the stars back into p.
func (s stars) into(p *netPattern) error {
	if s.scheme {
		p.scheme, p.ownPort = "", !s.portWritten
		if p.ownPort {
			p.port = 0
		}
	}
	p.everyPort = s.port
	if s.host == nil {
		return nil
	}
	if len(p.host) != s.labels {
		return errors.New("write a host with stars in ASCII (xn--...) and without a dot at its end")
	}
	for i, star := range s.host {
		p.host[i] = star
	}
	return nil
}

// overlaps reports whether some request matches both p and the granted permission g.
func (p netPattern) overlaps(g netPattern) bool {
	shared := func(m string) bool { return slices.Contains(g.methods, m) }
	switch {
	case p.methods != nil && g.methods != nil && !slices.ContainsFunc(p.methods, shared):
		return false
	case p.private && !g.private:
		return false
	case p.any, g.any:
		return true
	}
	fits := func(a, b string) bool { return a == b || a == "*" || b == "*" }
	return p.schemeAndPortFit(g) && hostsFit(p.host, g.host, fits) && (mayBePrefix(p.path, g.path) || mayBePrefix(g.path, p.path))
}

// covers reports whether p matches every request that the granted permission g permits.
func (p netPattern) covers(g netPattern) bool {
	outside := func(m string) bool { return !slices.Contains(p.methods, m) }
	methods := g.methods
	if methods == nil {
		methods = []string{"GET"} // a grant has a separate permission for every other method
	}
	switch {
	case p.methods != nil && slices.ContainsFunc(methods, outside):
		return false
	case g.private && !p.private:
		return false
	case p.any:
		return true
	case g.any:
		return false
	}
	fits := func(a, b string) bool { return a == b || a == "*" }
	return p.schemeAndPortFit(g) && hostsFit(p.host, g.host, fits) && isPrefix(p.path, g.path)
}

func (p netPattern) schemeAndPortFit(g netPattern) bool {
	if p.scheme != "" && p.scheme != g.scheme {
		return false
	}
	return p.everyPort || p.port == g.port || p.port == 0 && g.ownPort
}

func isPrefix(prefix, list []string) bool {
	return len(prefix) <= len(list) && slices.Equal(prefix, list[:len(prefix)])
}

// mayBePrefix is isPrefix ignoring case, because a server may ignore the case of a path.
func mayBePrefix(prefix, list []string) bool {
	return len(prefix) <= len(list) && slices.EqualFunc(prefix, list[:len(prefix)], strings.EqualFold)
}

// hostsFit compares the labels of two hosts from the left; only p may contain "**". A "**" first
// matches no label, and then one more label each time that the rest does not match. Only the last
// "**" needs backtracking.
func hostsFit(p, g []string, fits func(a, b string) bool) bool {
	star, taken, i, j := -1, 0, 0, 0
	for j < len(g) {
		switch {
		case i < len(p) && p[i] == "**":
			star, taken = i, j
			i++
		case i < len(p) && fits(p[i], g[j]):
			i++
			j++
		case star >= 0:
			taken++
			i, j = star+1, taken
		default:
			return false
		}
	}
	for i < len(p) && p[i] == "**" {
		i++
	}
	return i == len(p)
}

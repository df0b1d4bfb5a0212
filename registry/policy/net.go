package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// netPattern is a net word of a grant, or a pattern for such words. A grant's word
// uses less of it: no "**", and "*" for the first label of a host only.
type netPattern struct {
	private bool // private and loopback addresses too
	any     bool // every URL
	methods []string
	scheme  string   // "*" for either
	host    []string // labels; "*" one, "**" any number
	port    string   // "" the scheme's own, "*" any
	path    []string // the segments that the path begins with
}

// parseNet reads what stands after "net:" or "net-private:".
func parseNet(text string, private bool) (netPattern, error) {
	p := netPattern{private: private}
	if methods, rest, found := strings.Cut(text, ":"); found && !strings.HasPrefix(rest, "//") {
		if methods != "*" {
			p.methods = strings.Split(methods, ",")
		}
		for _, m := range p.methods {
			if m == "" || strings.Trim(m, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
				return p, fmt.Errorf("%q is no method; write them in capitals, with commas, before the URL", m)
			}
		}
		text = rest
	}
	if text == "any" || text == "*" {
		p.any = true
		return p, nil
	}
	scheme, rest, found := strings.Cut(text, "://")
	if p.scheme = scheme; !found || (scheme != "http" && scheme != "https" && scheme != "*") {
		return p, errors.New("write a URL that begins with https:// or http://, or * for all")
	}
	authority, path, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(rest, "@?#\\") {
		return p, errors.New("a user name, query, fragment or backslash has no place here")
	}
	if err := p.parseAuthority(authority); err != nil {
		return p, err
	}
	return p, p.parsePath(path)
}

func (p *netPattern) parseAuthority(authority string) error {
	host := authority
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, p.port = authority[:i], authority[i+1:]
		number, err := strconv.ParseUint(p.port, 10, 16)
		if p.port != "*" && (err != nil || strconv.FormatUint(number, 10) != p.port) {
			return fmt.Errorf("%q is no port; write a number, or * for any", p.port)
		}
		if p.port == ownPort(p.scheme) {
			p.port = ""
		}
	}
	if bare, isIPv6 := strings.CutPrefix(host, "["); isIPv6 {
		addr, err := netip.ParseAddr(strings.TrimSuffix(bare, "]"))
		if err != nil || addr.Zone() != "" {
			return fmt.Errorf("%q is no address", host)
		}
		p.host = []string{"[" + addr.String() + "]"}
		p.private = p.private || privateAddress(addr)
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		p.private = p.private || privateAddress(addr)
	}
	p.host = strings.Split(strings.ToLower(host), ".")
	last := p.host[len(p.host)-1]
	p.private = p.private || last == "localhost"
	for _, label := range p.host {
		if label != "*" && label != "**" && !isLabel(label) {
			return fmt.Errorf("the host %q has a part that is no name, * or **; write it in lower case and ASCII (xn--...)", host)
		}
	}
	return nil
}

func isLabel(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// privateAddress tells an address that is reached when it is named, without a word
// for private addresses.
func privateAddress(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified()
}

func (p *netPattern) parsePath(path string) error {
	path = strings.TrimSuffix(path, "**")
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "":
		case segment == "." || segment == ".." || strings.Contains(segment, "*"):
			return fmt.Errorf("the path is a prefix without . or .. or *, got %q in it", segment)
		default:
			p.path = append(p.path, segment)
		}
	}
	return nil
}

// grantable reports whether p is a word that a grant can have.
func (p netPattern) grantable() bool {
	return p.any || p.scheme != "*" && p.port != "*" && !slices.Contains(p.host, "**") && !slices.Contains(p.host[1:], "*")
}

func ownPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// overlaps reports whether some request is in both p and the word g of a grant.
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
	return p.schemeAndPortFit(g) && hostsOverlap(p.host, g.host) && (isPrefix(p.path, g.path) || isPrefix(g.path, p.path))
}

// covers reports whether every request that the word g of a grant permits is in p.
func (p netPattern) covers(g netPattern) bool {
	outside := func(m string) bool { return !slices.Contains(p.methods, m) }
	switch {
	case p.methods != nil && (g.methods == nil || slices.ContainsFunc(g.methods, outside)):
		return false
	case g.private && !p.private:
		return false
	case p.any:
		return true
	case g.any:
		return false
	}
	return p.schemeAndPortFit(g) && hostCovers(p.host, g.host) && isPrefix(p.path, g.path)
}

func (p netPattern) schemeAndPortFit(g netPattern) bool {
	if p.scheme != "*" && p.scheme != g.scheme {
		return false
	}
	// "" with the scheme * is the own port of whichever scheme the grant has.
	return p.port == "*" || p.port == g.port || (p.scheme == "*" && g.port == "" && p.port == ownPort(g.scheme))
}

func isPrefix(prefix, list []string) bool {
	return len(prefix) <= len(list) && slices.Equal(prefix, list[:len(prefix)])
}

// hostsOverlap reports whether some host fits both; "**" stands in p only.
func hostsOverlap(p, g []string) bool {
	return hostsFit(p, g, func(a, b string) bool { return a == b || a == "*" || b == "*" })
}

// hostCovers reports whether every host that fits g fits p.
func hostCovers(p, g []string) bool {
	return hostsFit(p, g, func(a, b string) bool { return a == b || a == "*" })
}

// hostsFit compares labels from the left. "**" first takes no label and then one
// more whenever the rest does not fit; only the last "**" needs to be gone back to.
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

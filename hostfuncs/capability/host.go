package capability

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Maximum lengths of DNS names, in bytes.
const (
	maxHost  = 253
	maxLabel = 63
)

// asciiNames converts names to the form used in DNS queries. It allows hyphens in third and fourth
// position, because some real hosts have them.
var asciiNames = idna.New(
	idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(true),
	idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(false),
)

// parseAuthority parses the authority of a URL, the part between "//" and the path, as decoded by
// net/url. scheme determines the default port. The host is a lower-case ASCII name or a canonical
// address, without brackets.
func parseAuthority(text, scheme string) (host string, port uint16, err error) {
	host, portText, err := splitPort(text)
	if err != nil {
		return "", 0, err
	}
	if port, err = parsePort(portText, scheme); err != nil {
		return "", 0, err
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host, err = parseIPv6(strings.TrimSuffix(inner, "]"))
	} else {
		host, err = parseHost(host)
	}
	return host, port, err
}

// splitPort separates host and port; brackets stay with the host.
func splitPort(text string) (host, port string, err error) {
	end := 0
	if strings.HasPrefix(text, "[") {
		end = strings.IndexByte(text, ']') + 1
		if end == 0 {
			return "", "", refuse(URLHost, "the host begins with [ and has no ]; write an IPv6 address as [2001:db8::1]")
		}
	}
	rest := text[end:]
	colon := strings.IndexByte(rest, ':')
	switch {
	case colon < 0 && end > 0 && rest != "":
		return "", "", refuse(URLHost, "something other than a port follows the ]; write [ADDRESS]:PORT")
	case colon < 0:
		return text, "", nil
	case end > 0 && colon > 0, strings.Contains(rest[colon+1:], ":"):
		return "", "", refuse(URLHost, "the host has more than one colon; write HOST:PORT, and an IPv6 address in brackets")
	}
	return text[:end+colon], rest[colon+1:], nil
}

// defaultPort returns the port of a scheme, or 0 if the scheme is not supported.
func defaultPort(scheme string) uint16 {
	switch scheme {
	case "http":
		return 80
	case "https":
		return 443
	}
	return 0
}

func parsePort(text, scheme string) (uint16, error) {
	if text == "" {
		return defaultPort(scheme), nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, refuse(URLPort, "the port "+shown(text)+" is invalid; write a number from 1 to 65535, or leave it out")
	}
	return uint16(n), nil
}

// parseIPv6 parses an address in brackets. It refuses an embedded IPv4 address, which would be a
// second spelling of the same host.
func parseIPv6(text string) (string, error) {
	addr, err := netip.ParseAddr(text)
	switch {
	case err != nil || !addr.Is6():
		return "", refuse(URLHost, shown(text)+" in brackets is not an IPv6 address; write an address such as [2001:db8::1]")
	case addr.Zone() != "":
		return "", refuse(URLHost, "the IPv6 address has a zone; leave it out")
	case addr.Is4In6():
		return "", refuse(URLNumericHost, "the IPv6 address contains an IPv4 address; write "+addr.Unmap().String())
	}
	return addr.String(), nil
}

// parseHost parses a name or an IPv4 address.
func parseHost(text string) (string, error) {
	if text == "" {
		return "", refuse(URLHost, "there is no host; write one after //")
	}
	name := strings.ToLower(text)
	if !isASCII(name) || strings.Contains(name, "xn--") {
		ascii, err := asciiNames.ToASCII(text)
		if again, errAgain := asciiNames.ToASCII(ascii); err != nil || errAgain != nil || again != ascii || !utf8.ValidString(text) {
			return "", refuse(URLHost, "the host "+shown(text)+" is not a valid DNS name (IDNA refuses it)")
		}
		name = strings.ToLower(ascii)
	}
	name = strings.TrimSuffix(name, ".")
	if err := checkName(name); err != nil {
		return "", err
	}
	if !endsInNumber(name) {
		return name, nil
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return "", refuse(URLNumericHost, "the host "+shown(text)+" looks like an incomplete address; write four decimal numbers, such as 192.0.2.1")
	}
	return addr.String(), nil
}

func checkName(name string) error {
	if len(name) > maxHost {
		return refuse(URLHost, "the host is longer than "+strconv.Itoa(maxHost)+" bytes")
	}
	for label := range strings.SplitSeq(name, ".") {
		switch {
		case label == "":
			return refuse(URLHost, "the host "+shown(name)+" has an empty part between dots")
		case len(label) > maxLabel:
			return refuse(URLHost, "a part of the host is longer than "+strconv.Itoa(maxLabel)+" bytes")
		case strings.ContainsFunc(label, notInName), label[0] == '-', label[len(label)-1] == '-':
			return refuse(URLHost, "the host "+shown(name)+" is not a DNS name; write letters and digits, with hyphens only between them")
		}
	}
	return nil
}

// notInName reports whether r is not allowed in a label. Underscores are allowed, because some real
// hosts have them.
func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// endsInNumber reports whether a C library resolver may read the last label as part of an IPv4
// address: a decimal, octal or hexadecimal number.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	digits, hex := strings.CutPrefix(last, "0x")
	return strings.TrimLeft(last, "0123456789") == "" || hex && strings.TrimLeft(digits, "0123456789abcdef") == ""
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// isAddress reports whether a normalised host is an address and not a name.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// isLocal reports whether a normalised host is recognisably not public.
func isLocal(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

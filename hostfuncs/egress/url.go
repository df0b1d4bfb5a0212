package egress

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// parseURL parses and normalises the URL of a request.
func (c *Client) parseURL(text string) (*url.URL, *Error) {
	if len(text) > c.opts.Limits.URLBytes {
		return nil, c.urlTooLong()
	}
	u, err := url.Parse(text)
	if err != nil {
		// The error of url.Parse contains the URL, so it is not passed on.
		return nil, refuse(KindURL, "the URL cannot be parsed")
	}
	return c.target(u)
}

// target returns the canonical form of u, which is passed to Permit and dialled.
func (c *Client) target(u *url.URL) (*url.URL, *Error) {
	if c.opts.Normalise == nil {
		return nil, refuse(KindURL, "no URL can be used: the host has no function to normalise URLs")
	}
	plain := *u
	plain.Fragment, plain.RawFragment = "", ""
	normal, err := c.opts.Normalise(&plain)
	if err != nil {
		return nil, refuse(KindURL, err.Error())
	}
	out := *normal
	out.Fragment, out.RawFragment = "", ""
	if reason := unsound(&out); reason != "" {
		return nil, refuse(KindURL, reason)
	}
	if len(out.String()) > c.opts.Limits.URLBytes {
		return nil, c.urlTooLong()
	}
	return &out, nil
}

func (c *Client) urlTooLong() *Error {
	return refuse(KindTooLarge, "the URL is longer than "+strconv.Itoa(c.opts.Limits.URLBytes)+" bytes")
}

// unsound says why a Client does not dial u, or returns "". Normalise should already refuse these
// URLs; unsound is the safeguard in case it does not.
func unsound(u *url.URL) string {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "the URL must begin with https:// or http://"
	case u.Opaque != "" || u.Host == "":
		return "the URL must name a host after //"
	case u.User != nil:
		return "the URL must not contain a user or password"
	case u.Path != "" && u.Path[0] != '/':
		return "the path of the URL must begin with a slash"
	case strings.ContainsFunc(u.RawQuery, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "the query of the URL contains a space or another character that must be percent-encoded"
	}
	host, port := u.Hostname(), u.Port()
	if u.Host != host && u.Host != "["+host+"]" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || port[0] == '0' {
			return "the port of the URL must be 1 to 65535"
		}
	}
	if strings.HasPrefix(u.Host, "[") {
		if a, err := netip.ParseAddr(host); err != nil || !a.Is6() || a.Zone() != "" {
			return "the IPv6 address of the URL is malformed or has a zone"
		}
		return ""
	}
	return unsoundHost(host)
}

// unsoundHost says why host is neither a name nor an IPv4 address in dotted decimal form, or
// returns "". Some resolvers accept numbers in other forms, such as 0x7f.1, as addresses.
func unsoundHost(host string) string {
	const malformed = "the host of the URL must be a name of letters, digits, hyphens and dots, in lower case"
	if len(host) > 253 {
		return "the host of the URL is longer than 253 bytes"
	}
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Is4() {
			return ""
		}
		return malformed
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return malformed
		}
	}
	last := labels[len(labels)-1]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == "" {
		return "the host of the URL looks like a number: write an IPv4 address as four decimal numbers"
	}
	return ""
}

// hostHeader returns the Host header of a request. It omits the default port of the scheme, because
// some servers do not recognise their name if a port follows.
func hostHeader(u *url.URL) string {
	if u.Port() == "" || u.Port() != defaultPort(u.Scheme) {
		return u.Host
	}
	return strings.TrimSuffix(u.Host, ":"+u.Port())
}

// originOf returns the scheme, host and port of u. Secrets are sent only within one origin.
func originOf(u *url.URL) string { return u.Scheme + "://" + hostHeader(u) }

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

package egress

import "net/netip"

// reach is the condition for connections to an address.
type reach uint8

const (
	// reachNever is the zero value, so an address in no row of the table is refused.
	reachNever reach = iota
	// reachPublic always allows connections.
	reachPublic
	// reachPrivate allows connections only with Decision.Private.
	reachPrivate
	// reachNamed allows connections only with Decision.Private and a URL that contains the address
	// itself. It protects the metadata services of clouds, which give credentials to every program
	// on a machine.
	reachNamed
)

// addressRow assigns one reach to all addresses of a prefix.
type addressRow struct {
	prefix netip.Prefix
	reach  reach
}

// addressTable lists the IANA special-purpose registries for IPv4 and IPv6, and the IPv6 ranges
// that embed IPv4 addresses. The first row that contains an address decides. An IPv4-mapped IPv6
// address is looked up as IPv4.
var addressTable = []addressRow{
	row("169.254.169.254/32", reachNamed), // most clouds
	// Azure's metadata service, at an address in a public range
	row("168.63.129.16/32", reachNamed),

	row("10.0.0.0/8", reachPrivate),
	row("127.0.0.0/8", reachPrivate), // loopback
	row("172.16.0.0/12", reachPrivate),
	row("192.168.0.0/16", reachPrivate),

	row("0.0.0.0/8", reachNever),      // this host on this network
	row("100.64.0.0/10", reachNever),  // carrier-grade NAT; also Alibaba's metadata service
	row("169.254.0.0/16", reachNever), // link-local
	row("192.0.0.0/24", reachNever),   // protocol assignments
	row("192.0.2.0/24", reachNever),   // documentation
	row("192.31.196.0/24", reachNever),
	row("192.52.193.0/24", reachNever),
	row("192.88.99.0/24", reachNever), // 6to4 relays
	row("192.175.48.0/24", reachNever),
	row("198.18.0.0/15", reachNever),   // benchmarks
	row("198.51.100.0/24", reachNever), // documentation
	row("203.0.113.0/24", reachNever),  // documentation
	row("224.0.0.0/4", reachNever),     // multicast
	row("240.0.0.0/4", reachNever),     // reserved, and broadcast
	row("0.0.0.0/0", reachPublic),

	row("fd00:ec2::254/128", reachNamed), // Amazon's metadata service
	row("fd20:ce::254/128", reachNamed),  // Google's metadata service

	row("::1/128", reachPrivate),
	row("fc00::/7", reachPrivate), // unique local

	row("2001::/23", reachNever),         // protocol assignments, with Teredo
	row("2001:db8::/32", reachNever),     // documentation
	row("2002::/16", reachNever),         // 6to4
	row("2620:4f:8000::/48", reachNever), // AS112
	row("3fff::/20", reachNever),         // documentation
	// Everything outside global unicast is refused: unspecified, IPv4-compatible ::/96, translated
	// ::ffff:0:0:0/96, NAT64 64:ff9b::/96 and 64:ff9b:1::/48, discard-only 100::/64, segment
	// routing 5f00::/16, link-local fe80::/10, site-local fec0::/10, multicast ff00::/8 and all
	// unassigned addresses.
	row("2000::/3", reachPublic),
}

func row(prefix string, r reach) addressRow {
	return addressRow{netip.MustParsePrefix(prefix), r}
}

// reachOf returns the reach of the address a. It refuses an address with a zone.
func reachOf(a netip.Addr) reach {
	if a.Zone() != "" {
		return reachNever
	}
	a = a.Unmap()
	for _, r := range addressTable {
		if r.prefix.Contains(a) {
			return r.reach
		}
	}
	return reachNever
}

// checkAddress returns an error unless a may be dialled. named reports whether the host of the URL
// is the address itself and not a name that resolves to it.
func checkAddress(a netip.Addr, private, named bool) *Error {
	switch r := reachOf(a); {
	case r == reachPublic, r == reachPrivate && private, r == reachNamed && private && named:
		return nil
	case r == reachPrivate:
		return refuse(KindAddress, "the host is at a private or loopback address, which needs a permission for private hosts")
	case r == reachNamed:
		return refuse(KindAddress, "the host is at the address of a cloud's metadata service, which needs a permission for private hosts that names the address itself")
	}
	return refuse(KindAddress, "the host is at an address of a reserved range, such as link-local or multicast, to which connections are never allowed")
}

package egress

import (
	"net/netip"
	"testing"
)

func TestReach(t *testing.T) {
	for _, tc := range []struct {
		addrs []string
		want  reach
	}{
		{[]string{
			"1.1.1.1", "8.8.8.8", "93.184.216.34", "11.0.0.0", "9.255.255.255", "126.255.255.255", "128.0.0.0",
			"172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "100.63.255.255", "100.128.0.0",
			"169.253.255.255", "169.255.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8",
			"2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "2001:200::1", "2001:4860:4860::8888", "2003::1", "3ffe::1",
		}, reachPublic},
		{[]string{
			"127.0.0.1", "127.255.255.254", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1",
			"::1", "fc00::1", "fd12:3456::1", "fdff:ffff::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:c0a8:101",
		}, reachPrivate},
		{[]string{
			"169.254.169.254", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "fd00:ec2::254", "fd20:ce::254",
			"168.63.129.16",
		}, reachNamed},
		{[]string{
			"0.0.0.0", "0.1.2.3", "100.64.0.1", "100.100.100.200", "100.127.255.255", "169.254.0.1", "169.254.170.2",
			"192.0.0.1", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.175.48.1",
			"198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
			"255.255.255.255", "::ffff:0.0.0.0", "::ffff:100.64.0.1", "::ffff:224.0.0.1",
			"::", "::2", "::127.0.0.1", "::a9fe:a9fe", "::ffff:0:127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::8.8.8.8",
			"64:ff9b:1::a00:1", "100::1", "100:0:0:1::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1",
			"2001:10::1", "2001:20::1", "2001:1ff::1", "2001:db8::1", "2002:a9fe:a9fe::", "2002:7f00:1::1",
			"2620:4f:8000::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "e000::1", "fe00::1", "fe80::1",
			"febf::1", "fec0::1", "feff::1", "ff02::1", "ff0e::1", "1000::1",
		}, reachNever},
		// A zone names a network interface of this machine.
		{[]string{"fe80::1%eth0", "2606:4700::1%eth0", "::1%lo", "::ffff:8.8.8.8%1"}, reachNever},
	} {
		for _, text := range tc.addrs {
			if got := reachOf(netip.MustParseAddr(text)); got != tc.want {
				t.Errorf("%s: reach %d, want %d", text, got, tc.want)
			}
		}
	}
	if reachOf(netip.Addr{}) != reachNever {
		t.Error("no address at all can be reached")
	}
}

func TestCheckAddress(t *testing.T) {
	for _, tc := range []struct {
		addr           string
		private, named bool
		ok             bool
	}{
		{"8.8.8.8", false, false, true},
		{"127.0.0.1", false, true, false},
		{"127.0.0.1", true, false, true},
		{"fd00::1", true, false, true},
		{"169.254.169.254", true, false, false}, // the URL contains a host name, not the address
		{"169.254.169.254", false, true, false},
		{"169.254.169.254", true, true, true},
		{"fd00:ec2::254", true, false, false},
		{"169.254.1.1", true, true, false},
		{"64:ff9b::7f00:1", true, true, false},
		{"100.64.0.1", true, true, false},
		{"0.0.0.0", true, true, false},
	} {
		err := checkAddress(netip.MustParseAddr(tc.addr), tc.private, tc.named)
		if (err == nil) != tc.ok {
			t.Errorf("%s private=%v named=%v: %v", tc.addr, tc.private, tc.named, err)
		}
		if err != nil && err.Kind != KindAddress {
			t.Errorf("%s: kind %s", tc.addr, err.Kind)
		}
	}
}

// FuzzReach checks that no IPv6 form of an IPv4 address reaches more than the IPv4 address itself.
func FuzzReach(f *testing.F) {
	f.Add([]byte{127, 0, 0, 1})
	f.Add([]byte{169, 254, 169, 254})
	f.Add([]byte{8, 8, 8, 8})
	f.Fuzz(func(t *testing.T, b []byte) {
		v4, ok := netip.AddrFromSlice(b)
		if !ok || !v4.Is4() {
			return
		}
		a := v4.As4()
		mapped := netip.AddrFrom16(v4.As16())
		if reachOf(mapped) != reachOf(v4) {
			t.Errorf("%s and %s differ", v4, mapped)
		}
		for _, prefix := range []string{"::", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::"} {
			in := netip.MustParseAddr(prefix).As16()
			copy(in[12:], a[:])
			if addr := netip.AddrFrom16(in); reachOf(addr) != reachNever && addr != netip.IPv6Loopback() {
				t.Errorf("%s is reached", addr)
			}
		}
		sixToFour := netip.MustParseAddr("2002::").As16()
		copy(sixToFour[2:], a[:])
		if addr := netip.AddrFrom16(sixToFour); reachOf(addr) != reachNever {
			t.Errorf("%s is reached", addr)
		}
	})
}

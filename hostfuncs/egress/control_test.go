package egress

import (
	"net"
	"net/netip"
	"testing"
)

// TestControlChecksAddress dials an address that was not checked before, as if the dialer had
// resolved the name a second time.
func TestControlChecksAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	addr := netip.MustParseAddrPort(l.Addr().String())
	for _, private := range []bool{false, true} {
		d := &dialer{opts: &Options{}, private: private}
		conn, err := d.connect(t.Context(), addr, false)
		if private {
			if err != nil {
				t.Fatal(err)
			}
			conn.Close()
			continue
		}
		if e, ok := err.(*Error); !ok || e.Kind != KindAddress {
			t.Errorf("error is %v, want one about the address", err)
		}
	}
}

func TestControlRefusesMalformedAddresses(t *testing.T) {
	d := &dialer{opts: &Options{}, private: true}
	for _, address := range []string{"", "localhost:80", "/var/run/docker.sock", "127.0.0.1", "[fe80::1%lo]:80"} {
		if d.control(true)("tcp", address, nil) == nil {
			t.Errorf("%q: let through", address)
		}
	}
	if err := d.control(true)("tcp4", "127.0.0.1:80", nil); err != nil {
		t.Errorf("127.0.0.1: %v", err)
	}
}

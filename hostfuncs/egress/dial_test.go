package egress_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

func addresses(texts ...string) []netip.Addr {
	out := []netip.Addr{}
	for _, a := range texts {
		out = append(out, netip.MustParseAddr(a))
	}
	return out
}

// TestRebindingIsRefused changes the answer of the name server between two connections.
func TestRebindingIsRefused(t *testing.T) {
	for _, later := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1", "64:ff9b::7f00:1", "0.0.0.0"} {
		w := newWorld(t)
		w.answer = func(_ string, nth int) []netip.Addr {
			if nth == 0 {
				return addresses(publicIP)
			}
			return addresses(later)
		}
		w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("Connection", "close") }))
		c := w.client(egress.Options{})
		if _, _, err := get(t, c, "http://example.com/"); err != nil {
			t.Fatal(err)
		}
		_, _, err := get(t, c, "http://example.com/")
		if e := wantKind(t, err, egress.KindAddress); e.Sent {
			t.Errorf("%s: sent", later)
		}
		if got := w.dialled(); !slices.Equal(got, []string{publicIP + ":80"}) {
			t.Errorf("%s: dialled %q", later, got)
		}
	}
}

// TestEveryAddressIsChecked mixes allowed and refused addresses in one answer.
func TestEveryAddressIsChecked(t *testing.T) {
	w := newWorld(t)
	w.answer = func(string, int) []netip.Addr {
		return addresses("127.0.0.1", "fe80::1", "93.184.216.35", "10.0.0.1", publicIP, "::1")
	}
	w.serve(publicIP+":80", text("ok"))
	if _, body, err := get(t, w.client(egress.Options{}), "http://example.com/"); err != nil || body != "ok" {
		t.Fatalf("got %q, %v", body, err)
	}
	if got, want := w.dialled(), []string{"93.184.216.35:80", publicIP + ":80"}; !slices.Equal(got, want) {
		t.Errorf("dialled %q, want %q", got, want)
	}
}

func TestAtMostEightAddressesAreDialled(t *testing.T) {
	w := newWorld(t)
	w.answer = func(string, int) (out []netip.Addr) {
		for i := range 1000 {
			out = append(out, netip.AddrFrom4([4]byte{8, 8, byte(i >> 8), byte(i)}))
		}
		return out
	}
	_, _, err := get(t, w.client(egress.Options{}), "http://example.com/")
	wantKind(t, err, egress.KindConnect)
	if n := len(w.dialled()); n != 8 {
		t.Errorf("dialled %d addresses, want 8", n)
	}
}

// TestSilentIPv6FallsBackToIPv4 connects to a name whose first address, an IPv6 address, never
// answers.
func TestSilentIPv6FallsBackToIPv4(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.answer = func(string, int) []netip.Addr { return addresses("2606:4700::1", publicIP) }
		w.listen("[2606:4700::1]:80") // accepts no connection
		w.serve(publicIP+":80", text("ok"))
		c := w.client(egress.Options{})
		if _, body, err := get(t, c, "http://example.com/"); err != nil || body != "ok" {
			t.Fatalf("got %q, %v", body, err)
		}
	})
}

// TestSilentAddressOfTheSameFamily resolves a name to two IPv4 addresses, and the first never
// answers. net.Dialer would wait for the first address for half of the time limit before it tried
// the second.
func TestSilentAddressOfTheSameFamily(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.answer = func(string, int) []netip.Addr { return addresses("93.184.216.35", publicIP) }
		w.listen("93.184.216.35:80") // accepts no connection
		w.serve(publicIP+":80", text("ok"))
		began := time.Now()
		if _, body, err := get(t, w.client(egress.Options{}), "http://example.com/"); err != nil || body != "ok" {
			t.Fatalf("got %q, %v", body, err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestLateConnectionIsClosed dials with a function that ignores its context. The first address
// therefore still accepts a connection after the second address has won.
func TestLateConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.answer = func(string, int) []netip.Addr { return addresses("93.184.216.35", publicIP) }
		w.serve(publicIP+":80", text("ok"))
		client, server := net.Pipe()
		c := egress.New(egress.Options{Normalise: normalise, Permit: permitAll, Transport: egress.Transport{
			LookupNetIP: w.lookup,
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				if address == publicIP+":80" {
					return w.dial(ctx, network, address)
				}
				time.Sleep(time.Second)
				return client, nil
			},
		}})
		defer c.Close()
		if _, body, err := get(t, c, "http://example.com/"); err != nil || body != "ok" {
			t.Fatalf("got %q, %v", body, err)
		}
		if n, err := server.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("the late connection gave %d bytes and %v, want it closed", n, err)
		}
	})
}

func TestAllAddressesSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.listen(publicIP + ":80")
		_, _, err := get(t, w.client(egress.Options{}), "http://example.com/")
		if e := wantKind(t, err, egress.KindConnect); e.Sent {
			t.Error("sent to a host that never answered")
		}
	})
}

func TestDNSFailures(t *testing.T) {
	for _, failure := range []error{
		&net.DNSError{Err: "no such host", Name: "example.com", IsNotFound: true},
		&net.DNSError{Err: "server misbehaving", Server: "10.0.0.53:53", Name: "example.com"},
		&net.DNSError{Err: "i/o timeout", Server: "10.0.0.53:53", IsTimeout: true},
		errors.New("lookup at 10.0.0.53"), nil,
	} {
		c := egress.New(egress.Options{
			Normalise: normalise,
			Permit:    permitAll,
			Transport: egress.Transport{LookupNetIP: func(context.Context, string, string) ([]netip.Addr, error) { return nil, failure }},
		})
		_, _, err := get(t, c, "http://example.com/")
		if e := wantKind(t, err, egress.KindDNS); e.Sent || strings.Contains(err.Error(), "10.0.0.53") {
			t.Errorf("error is %+v", e)
		}
		c.Close()
	}
}

// TestMetadataNeedsItsAddress checks that permission for private hosts does not include cloud
// metadata, unless the URL contains the address itself.
func TestMetadataNeedsItsAddress(t *testing.T) {
	w := newWorld(t)
	w.answer = func(string, int) []netip.Addr { return addresses("169.254.169.254") }
	w.serve("169.254.169.254:80", text("credentials"))
	c := w.client(egress.Options{Permit: func(string, *url.URL) (egress.Decision, bool) {
		return egress.Decision{Private: true}, true
	}})
	_, _, err := get(t, c, "http://metadata.example/")
	wantKind(t, err, egress.KindAddress)
	if len(w.dialled()) != 0 {
		t.Error("the metadata address was dialled")
	}
	if _, body, err := get(t, c, "http://169.254.169.254/"); err != nil || body != "credentials" {
		t.Errorf("by its address: got %q, %v", body, err)
	}
}

// TestRealSockets uses the dialer and resolver of the operating system.
func TestRealSockets(t *testing.T) {
	requests := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		for _, private := range []bool{false, true} {
			requests = 0
			c := egress.New(egress.Options{Normalise: normalise, Permit: func(string, *url.URL) (egress.Decision, bool) {
				return egress.Decision{Private: private}, true
			}})
			_, _, err := get(t, c, fmt.Sprintf("http://%s:%s/", host, port))
			c.Close()
			if private {
				if err != nil || requests != 1 {
					t.Errorf("%s: %d requests, %v", host, requests, err)
				}
				continue
			}
			wantKind(t, err, egress.KindAddress)
			if requests != 0 {
				t.Errorf("%s was reached without permission for private hosts", host)
			}
		}
	}
}

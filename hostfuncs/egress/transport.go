package egress

import (
	"crypto/tls"
	"net/http"
)

// newTransport returns the connections of one kind of host. Nothing of the process is
// in it: no proxy, no default transport, no shared pool.
func newTransport(o *Options, d *dialer) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		Proxy:          nil, // not http.ProxyFromEnvironment, which would defeat every check
		DialContext:    d.dialPlain,
		DialTLSContext: d.dialTLS,
		// The body is decompressed here, where what comes out is counted.
		DisableCompression: true,
		// An HTTP/1 connection serves one request (see patientConn). Those of HTTP/2 are
		// kept elsewhere and serve many.
		MaxIdleConnsPerHost:    -1,
		MaxResponseHeaderBytes: o.Limits.HeaderBytes,
		Protocols:              &protocols,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: 2 << 20,
			MaxReceiveBufferPerStream:     1 << 20,
		},
	}
}

// newTLSConfig returns how to speak TLS to hosts of one kind. Sessions are resumed
// within a Client only.
func newTLSConfig(o *Options) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            o.Roots,
		NextProtos:         []string{"h2", "http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(8),
	}
}

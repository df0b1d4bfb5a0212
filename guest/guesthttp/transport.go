// Package guesthttp sends the HTTP requests of a tool through its host. The host checks each
// request against the granted permissions and inserts secrets:
//
//	client := &http.Client{Transport: guesthttp.Transport{}}
//
// or, for http.Get and all other users of the default transport,
//
//	http.DefaultTransport = guesthttp.Transport{}
//
// The manifest requests the permission with [[permissions.net]]. On systems other than wasip1,
// Transport uses http.DefaultTransport, so that an author can try a tool natively.
package guesthttp

import (
	"net/http"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// HostError is the error of a request that the host refused or could not finish. Its Kind is
// "denied" if the tool has no permission for the request.
type HostError = host.Error

// Transport implements http.RoundTripper. The zero value is ready to use. It may be used
// concurrently, but its requests run one at a time, since a guest has one thread. Transport checks
// the context of a request only once, before it sends the request. The host aborts a running
// request when the call ends.
type Transport struct{}

// RoundTrip sends one request and does not follow redirects. It reads the whole request body
// before it sends, and streams the response body from the host. It drops the headers that the
// host sets itself: Host, Content-Length, Transfer-Encoding, Connection and Accept-Encoding. An
// error of the host is a *HostError.
func (Transport) RoundTrip(r *http.Request) (*http.Response, error) { return roundTrip(r) }

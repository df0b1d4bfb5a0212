// Package guesthttp sends the HTTP requests of a tool through its host, which checks each
// against what is granted and puts secrets in:
//
//	client := &http.Client{Transport: guesthttp.Transport{}}
//
// or, for http.Get and everything else that uses it,
//
//	http.DefaultTransport = guesthttp.Transport{}
//
// The manifest asks for it with [[permissions.net]]. Built for another system than wasip1,
// Transport is that of net/http, so that a tool can be tried natively.
package guesthttp

import (
	"net/http"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// Fault is the error of a request that the host did not make or could not finish. Its Kind
// is "denied" for one that is not granted.
type Fault = host.Fault

// Transport implements http.RoundTripper. The zero value is ready to use, concurrently too:
// one request runs after the other, since a guest has one thread. The request's context is
// looked at before it is sent; the host ends it with the call.
type Transport struct{}

// RoundTrip sends one request and does not follow redirects. The body of the request is
// read to its end first; that of the response is read from the host as it is needed. What
// the host itself sets is left out: Host, Content-Length, Transfer-Encoding, Connection and
// Accept-Encoding. An error of the host is a *Fault.
func (Transport) RoundTrip(r *http.Request) (*http.Response, error) { return roundTrip(r) }

//go:build !wasip1

package guesthttp

import "net/http"

func roundTrip(r *http.Request) (*http.Response, error) { return http.DefaultTransport.RoundTrip(r) }

// Package egress is the guarded HTTP client of one tool call, in plain Go. It knows nothing about
// WASM, grants or the sources of secrets; functions in [Options] provide these.
//
// # Allowed hosts
//
// Each request and each redirect is normalised, checked and passed to Options.Permit before its
// host is resolved. A host that is not permitted is therefore not even looked up. Every address of
// a name is checked before it is dialled, and once more on the socket. Changing the address of a
// name in between (DNS rebinding) therefore has no effect. Addresses in the IANA special-purpose
// registries are refused; Decision.Private allows private and loopback addresses.
//
// Proxies from the environment are not used, cookies are not kept, and Clients share no
// connections. Within a Client, connections that may lead to private addresses are separate from
// the others. Only HTTP/2 connections serve more than one request.
//
// # Secrets
//
// The values that Options.Secrets returns are added to the request last, and replace what the
// caller set. They are sent only to the origin (scheme, host and port) of the original URL. After a
// redirect to another origin, the request carries no secret, no cookie and none of the caller's
// headers except Accept, Accept-Language and Range. A later redirect back to the original origin
// does not restore them. A redirect to another origin is refused if its URL contains a secret or if
// the request has a body.
//
// Responses pass through Options.Scrub. It removes secrets from header values and from text bodies.
// Reading any other body fails at the first secret in it.
//
// # Limits
//
// [Limits] bounds the bytes, the number and the time of requests. The size of a response is counted
// after decompression. Time runs from Do until the body is closed.
package egress

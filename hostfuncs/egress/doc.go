// Package egress is the guarded HTTP client of one tool call, as plain Go. It knows
// nothing of WASM, grants or where secrets come from: those are functions in
// Options.
//
// # What may be reached
//
// Each request, and each redirect, is brought into normal form, checked, asked of
// Options.Permit and only then looked up and dialled: a host that is not permitted
// is not even resolved. Every address that a name resolves to is checked before it
// is dialled and again on the socket, so that a name which changes its answer gains
// nothing. Addresses that the special-purpose registries of IANA list are refused;
// Decision.Private lifts that for private and loopback ones.
//
// Proxies of the environment are not used, cookies are not kept, and connections
// are not shared: a Client has its own, and those that may lead to private addresses
// are kept apart from the others. Only those of HTTP/2 serve more than one request.
//
// # Secrets
//
// What Options.Secrets returns is put into the request last, over what the caller
// set. It goes to the origin (scheme, host and port) that was asked for and to no
// other: after a redirect to another origin the request carries no secret, no cookie
// and none of the caller's headers but Accept, Accept-Language and Range, also where
// a later redirect leads back. A redirect that would carry a secret to another
// origin in its URL, or a request body there, is refused.
//
// Responses pass through Options.Scrub: header values and textual bodies are
// cleaned, a body of another type fails where it would have to be changed.
//
// # Bounds
//
// Limits bound the bytes, the number and the time of requests. The size of a
// response counts after decompression. Time runs from Do until the body is closed.
package egress

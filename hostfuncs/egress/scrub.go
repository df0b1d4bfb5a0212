package egress

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
)

// filter takes the next bytes of a body and returns those that may be passed on.
type filter func(p []byte, atEnd bool) ([]byte, *Error)

// scrubText returns text without secrets.
func (o *Options) scrubText(text string) string {
	if o.Scrub == nil || text == "" {
		return text
	}
	return string(o.Scrub().Scrub([]byte(text), true))
}

// scrubHeader returns the headers of a response without secrets. It drops a header whose name
// contains a secret.
func (o *Options) scrubHeader(h http.Header) http.Header {
	if o.Scrub == nil {
		return h
	}
	s := o.Scrub() // one Scrubber is enough, because each value ends its stream
	out := make(http.Header, len(h))
	for name, values := range h {
		if string(s.Scrub([]byte(name), true)) != name {
			continue
		}
		clean := make([]string, len(values))
		for i, v := range values {
			clean[i] = string(s.Scrub([]byte(v), true))
		}
		out[name] = clean
	}
	return out
}

// bodyFilter returns the filter for a body of this content type, or nil if no secrets are hidden.
func (o *Options) bodyFilter(contentType string) filter {
	if o.Scrub == nil {
		return nil
	}
	s := o.Scrub()
	if textual(contentType) {
		return func(p []byte, atEnd bool) ([]byte, *Error) { return s.Scrub(p, atEnd), nil }
	}
	var held []byte // bytes that the scrubber holds back
	return func(p []byte, atEnd bool) ([]byte, *Error) {
		held = append(held, p...)
		out := s.Scrub(p, atEnd)
		if !bytes.HasPrefix(held, out) || atEnd && len(out) != len(held) {
			return nil, refuse(KindSecret, "the response contains a secret in a body that is not text, where it cannot be removed")
		}
		held = held[len(out):] // reslice and do not copy: bytes may arrive one at a time
		return out, nil
	}
}

// textual reports whether removing a secret leaves a body of this type usable.
func textual(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && media == "" {
		media, _, _ = strings.Cut(contentType, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	kind, sub, _ := strings.Cut(media, "/")
	if kind == "text" {
		return true
	}
	if kind != "application" && kind != "image" && kind != "model" && kind != "message" {
		return false
	}
	if i := strings.LastIndexByte(sub, '+'); i >= 0 {
		sub = sub[i+1:] // the part after "+", as in image/svg+xml
	}
	switch sub {
	case "json", "xml", "yaml":
		return true
	case "javascript", "x-javascript", "ecmascript", "x-www-form-urlencoded",
		"x-ndjson", "ndjson", "jsonl", "json-seq", "x-yaml", "toml", "graphql":
		return kind == "application"
	}
	return false
}

// Package rest runs tools that are one HTTP request. It builds the request from the arguments of a
// call, and sends it through the guarded client of package hostfuncs. It converts the response into
// a [tool.Result] or a [tool.Error]. No code of the tool's author runs.
package rest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options are the arguments of New. Manifest is required.
type Options struct {
	// Manifest describes the tool; its REST is not nil.
	Manifest *manifests.Manifest
	// HTTP connects and limits requests; see hostfuncs.Services. The manifest sets the limits on
	// the number of requests, including redirects, and on the size of the response. If
	// Limits.Requests or Limits.ResponseBytes is set and lower, it applies instead.
	HTTP egress.Transport
	// Secrets has the secrets for calls that bring no secrets; nil means none. The caller closes
	// Secrets.
	Secrets *secret.Store
}

// Executor runs the tool of one manifest. It implements [tool.Executor], [tool.Identified] and
// [tool.Requester], and is safe for concurrent use.
type Executor struct {
	manifest *manifests.Manifest
	http     egress.Transport
	secrets  *secret.Store
	// named are the parameters that appear outside of the body.
	named map[string]bool
}

// New returns an Executor.
func New(o Options) *Executor {
	e := &Executor{manifest: o.Manifest, http: o.HTTP, secrets: o.Secrets, named: o.Manifest.REST.Named()}
	limits, own := &e.http.Limits, o.Manifest.Limits
	if limits.Requests <= 0 || own.HTTPRequests < limits.Requests {
		limits.Requests = own.HTTPRequests
	}
	if limits.ResponseBytes <= 0 || int64(own.Output) < limits.ResponseBytes {
		limits.ResponseBytes = int64(own.Output)
	}
	return e
}

// Prepare does nothing: there is nothing to load.
func (e *Executor) Prepare(context.Context) error { return nil }

// Schemas returns the compiled schemas of the manifest, so that the registry need not compile
// them.
func (e *Executor) Schemas() (parameters, result *jsonschema.Schema) {
	return e.manifest.Parameters, e.manifest.Result
}

// Close does nothing: each call closes what it opened.
func (e *Executor) Close() error { return nil }

// Digest identifies the manifest, which defines the whole tool.
func (e *Executor) Digest(context.Context) (string, error) {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("rest "+e.manifest.Digest))), nil
}

// Execute sends the request once.
func (e *Executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	request, err := e.request(in)
	if err != nil {
		return tool.Result{}, err
	}
	b, err := hostfuncs.Bind(in.Grant, files.Options{}, hostfuncs.Services{HTTP: e.http, Secrets: cmp.Or(in.Secrets, e.secrets)})
	if err != nil {
		return tool.Result{}, (&tool.Error{Code: tool.CodePermissionDenied, Message: err.Error()}).WithCause(err)
	}
	defer func() { _ = b.Close() }() // an error has no effect, because the call has ended
	if b.HTTP == nil {
		return tool.Result{}, &tool.Error{Code: tool.CodePermissionDenied, Message: "the request is not granted; only the operator can grant it"}
	}
	result, err := e.exchange(ctx, b.HTTP, request)
	result.Call.Usage = b.Usage()
	return result, err
}

// exchange sends a request and reads the response.
func (e *Executor) exchange(ctx context.Context, client *hostfuncs.HTTP, request egress.Request) (tool.Result, error) {
	res, err := client.Do(ctx, request)
	if err != nil {
		return tool.Result{}, unanswered(err)
	}
	defer func() { _ = res.Body.Close() }() // an error has no effect, because the response was read
	if res.Status < 200 || res.Status > 299 {
		return tool.Result{}, refused(res)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return tool.Result{}, unanswered(err)
	}
	if ctx.Err() != nil {
		return tool.Result{}, tool.Ended(ctx, "the call ended before the response was read")
	}
	return e.result(res, body)
}

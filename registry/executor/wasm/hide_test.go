package wasm

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/fewlooks"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// secretive returns the bindings of a call that sent a secret.
func secretive(t *testing.T, value string) *hostfuncs.Bindings {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	where, err := capability.ParseURLPattern(server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	use := capability.GrantedSecret{SecretUse: capability.SecretUse{Name: "TOKEN", Header: "Authorization"}}
	grant := capability.Grant{Net: []capability.GrantedNet{{
		URL: where, Methods: []string{"GET"}, Private: true, Secrets: []capability.GrantedSecret{use},
	}}}
	source := secret.FromEnv("T", func(string) (string, bool) { return value, true })
	store := secret.New(map[string]secret.Source{"TOKEN": source}, secret.Options{})
	b, err := hostfuncs.Bind(grant, files.Options{}, hostfuncs.Services{Secrets: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	res, err := b.HTTP.Do(t.Context(), egress.Request{URL: server.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return b
}

// Secrets are removed from all output of a guest. If the context ends first, the output is
// dropped.
func TestSecretsAreHiddenOrOutputIsDropped(t *testing.T) {
	const value = "hunter2+hunter2/hunter2"
	b := secretive(t, value)
	encoded := strings.NewReplacer("+", `\u002B`, "/", `\/`).Replace(base64.StdEncoding.EncodeToString([]byte(value)))
	text := strings.Repeat("long ", 40_000) + value + " " + encoded
	for _, dropped := range []int64{0, 1} {
		written := runtime.Output{
			Output: []byte(`{"a":["` + text + `","\n"]}`), Partial: []byte(text), Failure: []byte(text), FailureDropped: dropped, Stderr: []byte(text),
		}
		all := &fewlooks.Context{Context: t.Context(), Most: 1 << 40}
		out := written
		if err := hideSecrets(all, &out, b, true); err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{out.Output, out.Partial, out.Failure, out.Stderr} {
			if s := string(text); strings.Contains(s, value) || strings.Contains(s, encoded) || !strings.Contains(s, "[secret:TOKEN]") {
				t.Errorf("the output has %.40q … %q", s, s[max(len(s)-80, 0):])
			}
		}
		if all.Looks < 8 {
			t.Errorf("Err was called %d times", all.Looks)
		}
		for limit := range all.Looks {
			out := written
			err := hideSecrets(&fewlooks.Context{Context: t.Context(), Most: limit}, &out, b, true)
			if err == nil || !reflect.DeepEqual(out, runtime.Output{}) {
				t.Errorf("with %d checks of the context: %v, %d bytes are left", limit, err, len(out.Output)+len(out.Failure)+len(out.Stderr))
			}
		}
	}
}

// The output of a call that failed because its deadline passed is still shown, without secrets.
func TestOutputAfterTheDeadlineHasNoSecrets(t *testing.T) {
	const value = "hunter2+hunter2/hunter2"
	b := secretive(t, value)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	out := hideInFailure(over, runtime.Output{Partial: []byte("a " + value), Stderr: []byte("b " + value)}, runtime.Call{Bindings: b})
	if string(out.Partial) != "a [secret:TOKEN]" || string(out.Stderr) != "b [secret:TOKEN]" {
		t.Errorf("got %q and %q", out.Partial, out.Stderr)
	}
}

// A result that arrives after the deadline is not parsed.
func TestResultIsDroppedAfterTheDeadline(t *testing.T) {
	e := newExecutor(t, runtime.Options{}, files.Options{}, command(), "")
	if err := e.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := &fewlooks.Context{Context: t.Context(), Most: 1 << 40}
	if _, err := e.Execute(all, tool.Invocation{}); err != nil || all.Looks == 0 {
		t.Fatalf("Err was called %d times, %v", all.Looks, err)
	}
	last := &fewlooks.Context{Context: t.Context(), Most: all.Looks - 1}
	if result, err := e.Execute(last, tool.Invocation{}); tool.CodeOf(err) != tool.CodeTimeout || result.Content != nil {
		t.Errorf("got %+v, %v", result, err)
	}
}

// If the call sent no secret, the output is not scanned and the context is not checked.
func TestWithoutSecretsOutputIsNotScanned(t *testing.T) {
	b, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx := &fewlooks.Context{Context: t.Context()}
	out := runtime.Output{Output: []byte("out"), Failure: []byte("failure"), Stderr: []byte("error")}
	want := out
	if allocs := testing.AllocsPerRun(10, func() {
		if err := hideSecrets(ctx, &out, b, false); err != nil {
			t.Fatal(err)
		}
	}); allocs > 0 || ctx.Looks > 0 || !reflect.DeepEqual(out, want) {
		t.Errorf("%v allocations, %d checks of the context, %+v", allocs, ctx.Looks, out)
	}
}

package wasm

import (
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/runtime"
)

// A plug-in can read only the configuration of its own manifest.
func TestPluginReadsItsConfiguration(t *testing.T) {
	config := "[module.config]\n'\"a\"' = \"one\"\n'{}' = \"two\"\n"
	e := newExecutor(t, runtime.Options{}, files.Options{}, plugin(), config)
	for arguments, want := range map[string]string{`"a"`: "one", `{}`: "two", `"b"`: "", ``: ""} {
		if got, err := execute(t, e, arguments, capability.Grant{Env: map[string]string{`"b"`: "a variable"}}); err != nil || got != want {
			t.Errorf("%s gives %q, %v, want %q", arguments, got, err, want)
		}
	}
}

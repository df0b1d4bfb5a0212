package hostfuncs_test

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// TestEnvironmentIsChecked checks that a variable that cannot be passed to a guest is refused. The
// error contains its name and never its value.
func TestEnvironmentIsChecked(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"NUL in a value": {"LANG": "secret\x00value"},
		"NUL in a name":  {"LANG\x00": "secret"},
		"= in a name":    {"LANG=": "secret"},
	} {
		_, err := hostfuncs.Bind(capability.Grant{Env: env}, files.Options{}, hostfuncs.Services{})
		if err == nil || !strings.Contains(err.Error(), "LANG") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want an error that names the variable", name, err)
		}
	}
	b, err := hostfuncs.Bind(capability.Grant{Env: map[string]string{"LANG": "a=b\n"}}, files.Options{}, hostfuncs.Services{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

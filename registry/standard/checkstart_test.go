package standard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Checking the start of a script reports its mistakes, and why it cannot be saved.
func TestCheckStart(t *testing.T) {
	const wide = "import * as wasmtool from 'wasmtool';\n"
	reg, _ := openScripts(t, standard.Options{}, scripts("tool.js", map[string]string{
		"good":                  "export const run = () => 1",
		"syntax":                "export const run = (",
		"no_run":                "export const main = () => 1",
		"missing":               "import 'left-pad'; export const run = () => 1",
		"random":                "const x = Math.random(); export const run = () => x",
		"host":                  wide + "wasmtool.log('early'); export const run = () => 1",
		"waits":                 "await new Promise(() => {}); export const run = () => 1",
		"spins\nprogram = true": "for (;;);",
	}))
	for name, want := range map[string]string{
		"good": "", "syntax": "SyntaxError", "no_run": "tool.js exports no function run", "missing": `cannot find the module "left-pad"`,
		"random": "", "host": "", "waits": "waits for a promise", "spins": "",
	} {
		warnings, err := reg.CheckStart(t.Context(), name)
		if (name == "random" || name == "host") != (len(warnings) == 1 && strings.HasPrefix(warnings[0], "each call starts the interpreter anew")) {
			t.Errorf("%s has the warnings %q", name, warnings)
		}
		var failed *tool.Error
		if errors.As(err, &failed) != (want != "") || want != "" && !strings.Contains(failed.Error()+failed.Details.Stderr, want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

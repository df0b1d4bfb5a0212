package standard_test

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A program reads the keyring only if Options.Keyring is set. Otherwise an operator's file that
// needs the keyring is refused, and the error contains the fix.
func TestKeyringIsAnOption(t *testing.T) {
	file, err := config.Decode(config.File{Name: config.FileName}, []byte("[secrets]\nTOKEN.keyring = \"service/user\"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := standard.Options{Config: file, Sources: standard.Sources{NoBuiltins: true}, NoCache: true, StateDir: t.TempDir()}
	_, err = standard.New(o)
	if tool.CodeOf(err) != tool.CodeUsage || !strings.Contains(err.Error(), "wasmtool.toml:2: secrets.TOKEN: ") || !strings.Contains(err.Error(), "hostfuncs/secret/keyring") {
		t.Errorf("without a keyring: %v", err)
	}
	var asked []string
	o.Keyring = func(service, user string) secret.Source {
		asked = append(asked, service, user)
		return nil
	}
	tools, err := standard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := tools.Close(); err != nil {
		t.Error(err)
	}
	if got := strings.Join(asked, " "); got != "service user" {
		t.Errorf("asked for %q", got)
	}
}

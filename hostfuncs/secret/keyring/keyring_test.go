package keyring

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

func TestKeyring(t *testing.T) {
	for want, err := range map[string]error{
		"is not in the keyring":       keyring.ErrNotFound,
		"cannot be read; this system": keyring.ErrUnsupportedPlatform,
		"cannot be read; the keyring": errors.New("dbus at /run/x"),
	} {
		keyring.MockInitWithError(err)
		source := New("s", "u")
		if _, got := source.Value(t.Context()); got == nil || !strings.HasPrefix(got.Error(), want) || strings.Contains(got.Error(), "dbus") {
			t.Errorf("got %v, want %s", got, want)
		}
		if got := fmt.Sprintf("%v %+v %#v", source, source, source); got != "[secret] [secret] [secret]" || source.Kind() != "keyring" {
			t.Errorf("a source of the kind %q prints as %s", source.Kind(), got)
		}
	}
	keyring.MockInit()
	if err := keyring.Set("s", "u", "value"); err != nil {
		t.Fatal(err)
	}
	if got, err := New("s", "u").Value(t.Context()); string(got) != "value" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

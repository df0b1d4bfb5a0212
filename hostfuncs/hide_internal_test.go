package hostfuncs

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// TestACutLeavesNoPartOfASecret cuts a text at every position, even within a secret. No part of the
// secret may be left.
func TestACutLeavesNoPartOfASecret(t *testing.T) {
	const value = "S3cr3t/value+of=18"
	b := &Bindings{secrets: callSecrets{hide: secret.NewScrubber(map[string]string{"TOKEN": value})}}
	must := func(text []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	for name, form := range map[string]string{
		"plain":   value,
		"base64":  base64.StdEncoding.EncodeToString([]byte(value)),
		"percent": url.QueryEscape(value),
		"wrapped": base64.StdEncoding.EncodeToString([]byte(value))[:9] + "\r\n" + base64.StdEncoding.EncodeToString([]byte(value))[9:],
		"escaped": strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(value)), "M", `\u004d`),
		"JSON":    strings.ReplaceAll(value, "/", `\u002f`),
	} {
		for at := range len(form) + 1 {
			head := "before " + form[:at]
			if got := must(b.HideBefore(t.Context(), []byte(head))); got != "before " && got != "before [secret:TOKEN]" {
				t.Errorf("%s, cut at %d: the beginning is %q", name, at, got)
			}
			// The tail begins in the secret; only the text after the room is shown. Use a room of
			// HideRoom only once for each form, because a large room is slow.
			room := 4 * len(form)
			if at == len(form)/2 {
				room = HideRoom
			}
			tail := form[at:] + strings.Repeat("x", room-len(form)+at) + form + " after"
			if got := must(b.HideAfter(t.Context(), []byte(tail), room)); got != "[secret:TOKEN] after" {
				t.Errorf("%s, cut at %d: the end is %q", name, at, got)
			}
			// The text is complete, and is shown only from the middle of the secret on.
			whole := "before " + form + " after"
			got := must(b.HideAfter(t.Context(), []byte(whole), len("before ")+at))
			if got != " after" && got != "[secret:TOKEN] after" {
				t.Errorf("%s, shown from %d on: %q", name, at, got)
			}
		}
	}
	none := &Bindings{secrets: callSecrets{}}
	if got := must(none.HideAfter(t.Context(), []byte("abc"), 1)) + must(none.HideBefore(t.Context(), []byte("abc"))); got != "bcabc" {
		t.Errorf("without a secret: %q", got)
	}
}

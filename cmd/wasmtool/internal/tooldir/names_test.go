package tooldir

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"listPets": "list_pets", "GET /a/{b}": "get_a_b", "getHTTPStatus2Code": "get_httpstatus2_code",
		"über": "ber", "123": "call_123", "": "call", "a--b__c": "a--b_c", "__x__": "x",
	} {
		if got := strings.TrimRight(ToolName(text), "_"); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	n := NewNames("wasmtool")
	long := strings.Repeat("a", 70)
	for _, want := range []string{"x", "x_2", "x_3"} {
		if got := n.Take("x"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if a, b, c := n.Take(long), n.Take(long), n.Take("wasmtool"); len(a) != 64 || len(b) != 64 || a == b || c != "wasmtool_2" {
		t.Errorf("got %q, %q, %q", a, b, c)
	}
}

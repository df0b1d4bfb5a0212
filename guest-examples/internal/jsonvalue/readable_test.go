package jsonvalue

import (
	"strings"
	"testing"
)

func TestReadableFollowsTheLimitsOfTheHost(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":[1.5e10,-2,"x",null,true]}`:                 true,
		strings.Repeat("[", 62) + strings.Repeat("]", 62): true,
		strings.Repeat("[", 63) + strings.Repeat("]", 63): false,
		`{"a":` + strings.Repeat("9", 1024) + `}`:         true,
		`{"a":` + strings.Repeat("9", 1025) + `}`:         false,
		"1e1024": true, "1E-1025": false, "1e99999999999999999999": false,
		"[" + strings.Repeat("0,", 1<<18-4) + "0]": true,
		"[" + strings.Repeat("0,", 1<<18-2) + "0]": false,
	} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%.60s: %v", text, err)
		}
		if err := v.Readable(2); (err == nil) != want {
			t.Errorf("%.60s: got %v", text, err)
		}
	}
}

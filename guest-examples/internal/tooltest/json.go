package tooltest

import (
	"encoding/json"
	"reflect"
	"testing"
)

// SameJSON reports an error unless two JSON texts have the same value.
func SameJSON(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	var gotValue, wantValue any
	if err := json.Unmarshal([]byte(want), &wantValue); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &gotValue); err != nil || !reflect.DeepEqual(gotValue, wantValue) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

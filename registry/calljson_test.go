package registry

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Other programs read the JSON of call records, so the names and the order of the fields must not
// change.
func TestJSONOfCalls(t *testing.T) {
	at := time.Date(2026, 11, 29, 1, 2, 3, 0, time.UTC)
	var receipt, lastReceipt tool.Receipt
	receipt.CallRef = tool.CallRef{ID: "c", Tool: "echo", Tenant: "t", Session: "s", Message: "m"}
	receipt.Version, receipt.Started, receipt.Duration, receipt.Code = "1.0", at, 5, tool.CodeTimeout
	approved := receipt
	approved.Approved, approved.ApprovedBy, approved.Code = true, tool.ApprovedByAgent, ""
	var record, lastRecord history.Record
	record.CallRef = receipt.CallRef
	record.Parameters, record.ParametersHash, record.ResultHash, record.Started = json.RawMessage(`{}`), "p", "r", at
	var call, lastCall state.Call
	call.CallRef = receipt.CallRef
	call.Status, call.Title, call.Revision, call.Started, call.Ended = state.Error, "T", 3, at, at
	call.Err = &tool.Error{Code: tool.CodeTimeout, CallID: "c", Message: "late"}
	for _, tt := range []struct {
		value, read any
		want        string
	}{
		{&receipt, &lastReceipt, `{"call_id":"c","tool":"echo","version":"1.0","tenant":"t","session":"s","message":"m","started":"2026-11-29T01:02:03Z","duration_ns":5,"sandboxed":false,"code":"timeout"}`},
		{&approved, &tool.Receipt{}, `{"call_id":"c","tool":"echo","version":"1.0","tenant":"t","session":"s","message":"m","started":"2026-11-29T01:02:03Z","duration_ns":5,"sandboxed":false,"approved":true,"approved_by":"agent"}`},
		{&tool.Receipt{}, &tool.Receipt{}, `{"call_id":"","tool":"","started":"0001-01-01T00:00:00Z","duration_ns":0,"sandboxed":false}`},
		{&record, &lastRecord, `{"call_id":"c","tenant":"t","session":"s","message":"m","tool":"echo","parameters":{},"parameters_hash":"p","result_hash":"r","timestamp":"2026-11-29T01:02:03Z","duration_ns":0}`},
		{&history.Record{}, &history.Record{}, `{"call_id":"","tool":"","parameters_hash":"","result_hash":"","timestamp":"0001-01-01T00:00:00Z","duration_ns":0}`},
		{&call, &lastCall, `{"id":"c","tenant":"t","session":"s","message":"m","tool":"echo","status":"error","title":"T","revision":3,"started":"2026-11-29T01:02:03Z","ended":"2026-11-29T01:02:03Z","error":{"code":"timeout","call_id":"c","message":"late","recoverable":false}}`},
		{&state.Call{}, &state.Call{}, `{"id":"","tool":"","status":"","revision":0,"started":"0001-01-01T00:00:00Z"}`},
	} {
		got, err := json.Marshal(tt.value)
		if err != nil || string(got) != tt.want {
			t.Errorf("%T: got\n%s, %v, want\n%s", tt.value, got, err, tt.want)
		}
		if err := json.Unmarshal(got, tt.read); err != nil || !reflect.DeepEqual(tt.read, tt.value) {
			t.Errorf("%s was read as %+v, %v", got, tt.read, err)
		}
	}
}

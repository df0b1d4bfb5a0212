package registry

import (
	"context"
	"testing"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestReceiptSaysWhetherTheToolIsSandboxed(t *testing.T) {
	for _, sandboxed := range []bool{false, true} {
		var receipt tool.Receipt
		spec := echo()
		spec.Sandboxed = sandboxed
		r := withTool(t, Options{Calls: ledger.Options{OnReceipt: func(of tool.Receipt) { receipt = of }}}, spec, &fake{})
		if _, err := r.Execute(context.Background(), tool.Call{Tool: "echo", Arguments: []byte(`{"text":"a"}`)}); err != nil {
			t.Fatal(err)
		}
		if receipt.Sandboxed != sandboxed {
			t.Errorf("sandboxed %v: the receipt says %v", sandboxed, receipt.Sandboxed)
		}
	}
}

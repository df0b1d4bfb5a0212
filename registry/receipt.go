package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// receipt is what the call did, now that it has ended with a result or an error.
func (x *execution) receipt(result tool.Result, failure *tool.Error) tool.Receipt {
	r := tool.Receipt{
		CallRef: result.Call.CallRef,
		Started: x.started, Duration: result.Call.Duration, Waited: result.Call.Waited, Digest: x.digest,
		Grant: capability.Strings(x.words), Approved: x.approved,
		Usage: result.Call.Usage, Fuel: result.Call.Fuel, Memory: result.Call.Memory, Attempts: result.Call.Attempts,
	}
	if x.entry != nil {
		r.Resolved, r.Version, r.Sandboxed = true, x.entry.Spec.Version, x.entry.Spec.Sandboxed
	}
	if x.arguments.JSON != nil {
		r.Arguments = hexDigest(x.arguments.JSON)
	}
	if x.decision.By.Rule != "" {
		r.Decision, r.Rule = x.decision.Effect.String(), x.decision.By.Rule
	}
	r.Shell = x.shellVerdict()
	if failure != nil {
		r.Code = failure.Code
		return r
	}
	if result.Size() > maxDigestJSON {
		r.Result = history.HashResult(result, "")
	} else if text, err := json.Marshal(result); err == nil {
		r.Result = hexDigest(text)
	}
	return r
}

// maxDigestJSON is how large a result may be, in bytes, to be written as JSON for its
// digest: a call that has ended waits for it.
const maxDigestJSON = 4 << 20

func hexDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// report hands the receipt of a call to whoever wants it.
func (r *Registry) report(x *execution, result tool.Result, failure *tool.Error) {
	if r.opts.Calls.OnReceipt == nil && x.observed == nil {
		return
	}
	if x.entry != nil && x.digest == "" && x.loaded {
		// It is loaded, so that nobody waits.
		x.digest, _ = x.entry.Digest(context.Background())
	}
	receipt := x.receipt(result, failure)
	if x.observed != nil {
		defer r.recovered("the Observer", x)
		defer x.observed(receipt)
	}
	if r.opts.Calls.OnReceipt != nil {
		defer r.recovered("OnReceipt", x)
		r.opts.Calls.OnReceipt(receipt)
	}
}

package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Inner passes the record of a call that a script has made to OnInner, if it is set.
func (l *Ledger) Inner(record func() tool.InnerRecord) {
	if l.o.OnInner == nil {
		return
	}
	r := record()
	defer callerror.LogPanic(l.log, "OnInner", r.Call)
	l.o.OnInner(r)
}

// report passes the receipt of the call to OnReceipt and to the Observer, if they are set.
func (e *Entry) report(result tool.Result, failure *tool.Error) {
	l := e.ledger
	if l.o.OnReceipt == nil && e.observed == nil {
		return
	}
	if e.tool != nil && e.digest == "" && e.loaded {
		// The tool is loaded, so Digest does not wait.
		e.digest, _ = e.tool.Digest(context.Background())
	}
	receipt := e.receipt(result, failure)
	if e.observed != nil {
		defer callerror.LogPanic(l.log, "the Observer", e.state.ID)
		defer e.observed(receipt)
	}
	if l.o.OnReceipt != nil {
		defer callerror.LogPanic(l.log, "OnReceipt", e.state.ID)
		l.o.OnReceipt(receipt)
	}
}

// receipt returns the receipt of the call, which has ended with a result or an error.
func (e *Entry) receipt(result tool.Result, failure *tool.Error) tool.Receipt {
	r := tool.Receipt{
		CallRef: e.state.CallRef, Parent: e.parent, Started: e.started, Duration: result.Call.Duration, Waited: result.Call.Waited, Digest: e.digest,
		Grant: capability.Strings(e.permissions), Approved: e.approvedBy != "", ApprovedBy: e.approvedBy, Shell: e.shell,
		Usage: result.Call.Usage, Fuel: result.Call.Fuel, Memory: result.Call.Memory, Attempts: result.Call.Attempts,
	}
	if e.spec != nil {
		r.Resolved, r.Version, r.Sandboxed, r.StubImports = true, e.spec.Version, e.spec.Sandboxed, e.spec.StubImports
	}
	if e.arguments.JSON != nil {
		r.Arguments = hexDigest(e.arguments.JSON)
	}
	if e.rule != "" {
		r.Decision, r.Rule = e.decision, e.rule
	}
	if failure != nil {
		r.Code = failure.Code
		return r
	}
	kept := e.state.Result // equal to the result, and no longer changes
	if kept == nil {
		kept = new(result)
	}
	if result.Size() > maxDigestJSON {
		r.Result = history.HashResult(result, "")
	} else if text, err := json.Marshal(kept); err == nil {
		r.Result = hexDigest(text)
	}
	return r
}

// maxDigestJSON is the max size of a result that is encoded as JSON for its digest, in bytes. The
// caller waits for the encoding.
const maxDigestJSON = 4 << 20

func hexDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return string(hex.AppendEncode(make([]byte, 0, 2*len(sum)), sum[:]))
}

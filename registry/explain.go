package registry

import (
	"errors"
	"runtime/debug"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxExplanation bounds what a tool says about faults, in bytes.
const maxExplanation = 8 << 10

// explain lets a tool put the faults of its arguments into words of its own. The faults
// themselves stay with the error.
func (r *Registry) explain(e *entry, err error) error {
	explainer, ok := e.executor.(tool.FaultExplainer)
	var invalid *tool.Error
	if !ok || !errors.As(err, &invalid) || len(invalid.Details.Faults) == 0 {
		return err
	}
	text := r.askWords(e.spec.Name, explainer, invalid.Details.Faults)
	if len(text) > maxExplanation {
		text = text[:maxExplanation]
	}
	if text != "" {
		invalid.Message = strings.ToValidUTF8(text, "\uFFFD")
	}
	return err
}

// askWords returns "" for a tool that breaks down over it.
func (r *Registry) askWords(name string, explainer tool.FaultExplainer, faults []tool.Fault) (text string) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("panic in a tool's words for faults", "tool", name, "panic", p, "stack", string(debug.Stack()))
			text = ""
		}
	}()
	return explainer.ExplainFaults(faults)
}

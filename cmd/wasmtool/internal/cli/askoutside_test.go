package cli

import (
	"errors"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestYesApprovesNoPathOutside(t *testing.T) {
	approver := Streams{}.approver(true, false)
	if answer, err := approver.Approve(t.Context(), registry.Question{Reason: tool.AskDangerous}); err != nil || !answer.Yes {
		t.Errorf("a dangerous tool: got %+v, %v", answer, err)
	}
	if answer, err := approver.Approve(t.Context(), registry.Question{Reason: tool.AskOutside}); !errors.Is(err, registry.ErrNoApprover) || answer.Yes {
		t.Errorf("a path outside: got %+v, %v", answer, err)
	}
}

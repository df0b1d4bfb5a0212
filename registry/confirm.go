package registry

import "github.com/wasmtool/wasmtool/internal/questiontext"

// Bounds of what the arguments add to a question, in bytes.
const (
	maxConfirmValue = 400
	maxConfirm      = 8 << 10
)

// confirmText fills the arguments into the author's question. A model may have
// written them, so they are quoted: no control character reaches a terminal, and
// no value can pass for the text around it. Of a long one the end is shown, too.
func (x *execution) confirmText() string {
	text, err := x.tool.Confirm.Expand(maxConfirm, func(name string) (string, bool) {
		value, ok := x.arguments.Text(name)
		if !ok {
			return "(none)", true
		}
		return questiontext.Quote(value, maxConfirmValue), true
	})
	if err != nil {
		return "(the author's question is too long with these arguments)"
	}
	return text
}

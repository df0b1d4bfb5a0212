package secret

import (
	"fmt"
	"io"
)

// hidden makes the type that embeds it print as "[secret]" under every verb.
type hidden struct{}

// Format writes "[secret]".
func (hidden) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[secret]") }

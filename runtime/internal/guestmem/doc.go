// Package guestmem is the linear memory of guests: reserved once, grown in place,
// taken back to a saved image after a call, and used again. On Linux a memory lies
// outside the Go heap and shares the pages of its image until the guest writes to
// them; elsewhere it is an ordinary slice, and there are no images.
//
// See https://docs.kernel.org/admin-guide/mm/pagemap.html for the scan that finds
// the pages a guest wrote.
package guestmem

import "errors"

// PageSize is the size of a WASM page in bytes. All sizes here are multiples of it.
const PageSize = 64 << 10

// ErrUnsupported means that this system cannot save and restore memory.
var ErrUnsupported = errors.New("this system cannot save guest memory")

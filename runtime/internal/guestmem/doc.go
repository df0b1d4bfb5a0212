// Package guestmem implements the linear memory of guests. A memory is reserved once, grows in
// place, is restored to a saved image after a call, and is reused. On Linux a memory is outside the
// Go heap, and shares the pages of its image until the guest writes to them. On other systems it is
// an ordinary slice, and there are no images.
//
// The kernel's interface that finds the pages that a guest wrote is documented at
// https://docs.kernel.org/admin-guide/mm/pagemap.html.
package guestmem

import "errors"

// PageSize is the size of a WASM page in bytes. All sizes here are multiples of it.
const PageSize = 64 << 10

// ErrUnsupported means that this system cannot save and restore memory.
var ErrUnsupported = errors.New("this system cannot save guest memory")

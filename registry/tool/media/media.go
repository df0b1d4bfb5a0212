// Package media checks whether data is a complete image or audio file of its claimed type. It
// reads the headers, the structure of the file, and checksums if there are any. It decodes no
// pixels and no samples, since a malicious file could make that arbitrarily expensive.
package media

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
)

// MaxBytes limits the size of one file.
const MaxBytes = 20 << 20

// Info describes a file.
type Info struct {
	// Type is the MIME type, such as "image/png".
	Type string
	// Width and Height are the size of an image in pixels, at least 1; 0 for audio.
	Width, Height int
}

// Image checks that data is a complete PNG, JPEG, GIF or WebP file and that mimeType is its type.
// It takes time linear in the size of data.
func Image(data []byte, mimeType string) (Info, error) {
	return inspect(data, mimeType, imageFormats)
}

// Audio checks that data is a WAV, MP3, OGG, FLAC or MP4 file and that mimeType is its type. A
// WAV file must be complete. Of the other formats, only the beginning is checked, because these
// files do not contain their own length.
func Audio(data []byte, mimeType string) (Info, error) {
	return inspect(data, mimeType, audioFormats)
}

// format is one kind of file.
type format struct {
	types []string // MIME types, the most common first
	begin func(data []byte) bool
	check func(data []byte) (width, height int, err error)
}

// errCut is the error for a truncated file, for example from a text that was shortened.
var errCut = errors.New("the file ends too early; it was cut or is damaged")

func inspect(data []byte, mimeType string, formats []format) (Info, error) {
	if len(data) > MaxBytes {
		return Info{}, fmt.Errorf("the file has %d bytes; the limit is %d", len(data), MaxBytes)
	}
	claimed, _, _ := strings.Cut(strings.ToLower(mimeType), ";")
	claimed = strings.TrimSpace(claimed)
	wanted := slices.IndexFunc(formats, func(f format) bool { return slices.Contains(f.types, claimed) })
	if wanted < 0 {
		names := each.Of(formats, func(f format) string { return f.types[0] })
		return Info{}, fmt.Errorf("the type %q is not supported; the types are %s; return other files as a resource", mimeType, strings.Join(names, ", "))
	}
	if !formats[wanted].begin(data) {
		for _, f := range formats {
			if f.begin(data) {
				return Info{}, fmt.Errorf("the file is %s, not %s as claimed", f.types[0], claimed)
			}
		}
		return Info{}, fmt.Errorf("the data is not a file of type %s", claimed)
	}
	width, height, err := formats[wanted].check(data)
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", claimed, err)
	}
	return Info{Type: formats[wanted].types[0], Width: width, Height: height}, nil
}

func beginsWith(magic string) func([]byte) bool {
	return func(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }
}

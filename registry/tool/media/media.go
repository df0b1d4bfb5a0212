// Package media looks whether the bytes of an image or a sound are a whole file of the
// type that they claim to be. It reads headers and the frame of the file, checksums where
// there are some, and decodes no pixels and no samples: that would cost what the file's
// author likes, in memory and time.
package media

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxBytes bounds one file.
const MaxBytes = 20 << 20

// Info is what the frame of a file tells.
type Info struct {
	// Type is the MIME type, such as "image/png".
	Type string
	// Width and Height are those of an image in pixels, at least 1; 0 for a sound.
	Width, Height int
}

// Image looks at the file of an image: PNG, JPEG, GIF or WebP, whole and of the type that
// mimeType says. The error says what is wrong, or what the types are. It is linear in the
// size of data.
func Image(data []byte, mimeType string) (Info, error) {
	return inspect(data, mimeType, imageFormats)
}

// Audio is Image for a sound: WAV, MP3, OGG, FLAC or MP4. Of the latter four only the
// beginning is looked at, since they say nowhere how long they are.
func Audio(data []byte, mimeType string) (Info, error) {
	return inspect(data, mimeType, audioFormats)
}

// format is one kind of file.
type format struct {
	types []string // the first is the usual one
	begin func(data []byte) bool
	check func(data []byte) (width, height int, err error)
}

// errCut is what becomes of a file on its way through something that cuts long texts.
var errCut = errors.New("the file ends too early; it was cut or is damaged")

func inspect(data []byte, mimeType string, formats []format) (Info, error) {
	if len(data) > MaxBytes {
		return Info{}, fmt.Errorf("the file has %d bytes; there may be %d", len(data), MaxBytes)
	}
	claimed, _, _ := strings.Cut(strings.ToLower(mimeType), ";")
	claimed = strings.TrimSpace(claimed)
	wanted := slices.IndexFunc(formats, func(f format) bool { return slices.Contains(f.types, claimed) })
	if wanted < 0 {
		var names []string
		for _, f := range formats {
			names = append(names, f.types[0])
		}
		return Info{}, fmt.Errorf("the type %q is none of %s; give other files as a resource", mimeType, strings.Join(names, ", "))
	}
	if !formats[wanted].begin(data) {
		for _, f := range formats {
			if f.begin(data) {
				return Info{}, fmt.Errorf("the file is %s and not %s as it claims", f.types[0], claimed)
			}
		}
		return Info{}, fmt.Errorf("the data is no %s file", claimed)
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

package read

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"golang.org/x/image/webp"
)

const (
	// MaxImage limits the size of an image in bytes. The limit is 5 MiB in Base64, like the limit
	// of model APIs.
	MaxImage = 15 << 18
	// MaxPixels limits the number of pixels of an image. Checking an image needs up to eight bytes
	// of memory for each pixel.
	MaxPixels = 20_000_000
)

// imageFormat is an image format that the tool supports.
type imageFormat struct {
	mime   string
	begins []string // prefixes of files in the format; a space matches any byte
	size   func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var imageFormats = []imageFormat{
	{"image/png", []string{"\x89PNG\r\n\x1a\n"}, png.DecodeConfig, png.Decode},
	{"image/jpeg", []string{"\xff\xd8\xff"}, jpeg.DecodeConfig, jpeg.Decode},
	{"image/gif", []string{"GIF87a", "GIF89a"}, gif.DecodeConfig, gif.Decode},
	{"image/webp", []string{"RIFF    WEBP"}, webp.DecodeConfig, webp.Decode},
}

// imageHead is the number of bytes that are needed to identify an image format.
const imageHead = 12

// formatOf returns the image format of a file. head is the beginning of the file.
func formatOf(head []byte) (imageFormat, bool) {
	for _, format := range imageFormats {
		for _, magic := range format.begins {
			if begins(head, magic) {
				return format, true
			}
		}
	}
	return imageFormat{}, false
}

func begins(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != ' ' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// image writes the complete image in the file as an image block. It returns an error if the image
// is too large or damaged.
func (p *page) image(format imageFormat, file io.Reader, out io.Writer) error {
	shown := workspace.Display(p.name)
	kind := strings.ToUpper(strings.TrimPrefix(format.mime, "image/"))
	data, err := io.ReadAll(io.LimitReader(file, MaxImage+1))
	if err != nil {
		return p.explain(err)
	}
	if len(data) > MaxImage {
		return fmt.Errorf("file_path: %s is a %s image of more than the limit of %d bytes; make a smaller version of it", shown, kind, MaxImage)
	}
	damaged := func(err error) error {
		return fmt.Errorf("file_path: %s can't be shown: it begins like a %s image but is damaged: %w", shown, kind, err)
	}
	size, err := format.size(bytes.NewReader(data))
	if err != nil {
		return damaged(err)
	}
	if size.Width <= 0 || size.Height <= 0 {
		return damaged(errors.New("it has no pixels"))
	}
	if size.Width > MaxPixels/size.Height {
		return fmt.Errorf("file_path: %s has %d × %d pixels; the limit is %d, so make a smaller version of it", shown, size.Width, size.Height, MaxPixels)
	}
	// Decode the whole image, not only its header. A damaged image in a conversation would make all
	// later requests to the model fail.
	if _, err := format.decode(bytes.NewReader(data)); err != nil {
		return damaged(err)
	}
	text := fmt.Sprintf("%s: %s image, %d × %d pixels, %s\n", shown, kind, size.Width, size.Height, toolabi.Quantity(len(data), "byte"))
	hash := filehash.Of(data)
	return toolabi.WriteResult(out, guest.Result{
		Content: []guest.Content{guest.Text(text), guest.Image(data, format.mime)},
		Title:   "Read " + shown,
		Metadata: map[string]any{
			"path": p.name, "width": size.Width, "height": size.Height, "mime_type": format.mime,
			"size": len(data), "file_hash": hash,
		},
		Structured: map[string]any{
			"path": p.name, "kind": "image", "truncated": false, "width": size.Width, "height": size.Height,
			"mimeType": format.mime, "size": len(data), "fileHash": hash,
		},
	})
}

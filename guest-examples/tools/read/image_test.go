package read

import (
	"bytes"
	"encoding/base64"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

// noise returns an image that can hardly be compressed.
func noise(width, height int) image.Image {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(random.Uint32())
	}
	return picture
}

func encoded(t *testing.T, encode func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t *testing.T, picture image.Image) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return png.Encode(w, picture) })
}

// webpPixel is a WebP file with one white pixel that cwebp created, in Base64.
const webpPixel = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA="

func TestRun_images(t *testing.T) {
	picture := noise(30, 20)
	webp, err := base64.StdEncoding.DecodeString(webpPixel)
	if err != nil {
		t.Fatal(err)
	}
	gifImage := image.NewPaletted(picture.Bounds(), color.Palette{color.Black, color.White})
	for _, test := range []struct {
		mime, text    string
		data          []byte
		width, height float64
	}{
		{"image/png", "PNG image, 30 × 20 pixels", pngOf(t, picture), 30, 20},
		{"image/jpeg", "JPEG image, 30 × 20 pixels", encoded(t, func(w io.Writer) error { return jpeg.Encode(w, picture, nil) }), 30, 20},
		{"image/gif", "GIF image, 30 × 20 pixels", encoded(t, func(w io.Writer) error { return gif.Encode(w, gifImage, nil) }), 30, 20},
		{"image/webp", "WEBP image, 1 × 1 pixels", webp, 1, 1},
	} {
		t.Run(test.mime, func(t *testing.T) {
			// The format is detected from the content, not from the name of the file.
			var out strings.Builder
			if err := Run(fstest.MapFS{"d/f.txt": {Data: test.data}}, Args{FilePath: "d/f.txt"}, &out); err != nil {
				t.Fatal(err)
			}
			got := tooltest.Parse(t, out.String())
			if len(got.Content) != 2 || got.Content[1].Type != "image" || got.Content[1].MIMEType != test.mime || !bytes.Equal(got.Content[1].Data, test.data) {
				t.Fatalf("got %+v", got)
			}
			if !strings.Contains(got.Text(), "d/f.txt: "+test.text) || strings.Contains(got.Text(), "MEDIA:") {
				t.Errorf("got the text %q", got.Text())
			}
			if m := got.Metadata; m["width"] != test.width || m["height"] != test.height || m["path"] != "d/f.txt" {
				t.Errorf("got the metadata %v", m)
			}
		})
	}
}

// withSize changes the size in the header of a PNG file. The header then does not match the data.
func withSize(data []byte, width, height uint32) []byte {
	data = bytes.Clone(data)
	for i := range 4 {
		data[16+i], data[20+i] = byte(width>>(24-8*i)), byte(height>>(24-8*i))
	}
	sum := crc32.ChecksumIEEE(data[12:29])
	copy(data[29:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return data
}

func TestRun_badImages(t *testing.T) {
	good := pngOf(t, noise(30, 20))
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	photo := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, noise(200, 200), nil) })
	large := pngOf(t, noise(1100, 1000)) // four bytes a pixel
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"cut", good[:len(good)/2], "begins like a PNG image but is damaged"},
		{"head alone", good[:8], "is damaged"},
		{"one bit", flipped, "is damaged"},
		{"cut JPEG", photo[:len(photo)/2], "begins like a JPEG image but is damaged"},
		{"no pixels", withSize(good, 0, 0), "is damaged"},
		{"another size", withSize(good, 30, 21), "is damaged"},
		{"bomb", withSize(good, 30000, 30000), "has 30000 × 30000 pixels; the limit is 20000000, so make a smaller version"},
		{"large", large, "is a PNG image of more than the limit of 3932160 bytes"},
		{"cut GIF", []byte("GIF89a"), "begins like a GIF image but is damaged"},
		{"not really WebP", []byte("RIFF\x00\x00\x00\x00WEBPVP8 "), "begins like a WEBP image but is damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			err := Run(fstest.MapFS{"f.png": {Data: test.data}}, Args{FilePath: "f.png"}, &out)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "file_path: f.png ") {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if out.Len() > 0 {
				t.Errorf("got output of %d bytes in addition to the error", out.Len())
			}
		})
	}
}

// A text file that begins with the name of an image format is shown as text.
func TestRun_textLikeAnImage(t *testing.T) {
	if got, err := readText(t, fstest.MapFS{"f": {Data: []byte("GIF is a format\n")}}, Args{FilePath: "f"}); err != nil || got != "     1\tGIF is a format\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzImage(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80"))
	f.Add([]byte("\xff\xd8\xff\xe0"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8L"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, ok := formatOf(data); !ok {
			return
		}
		var out strings.Builder
		err := Run(fstest.MapFS{"f": {Data: data}}, Args{FilePath: "f"}, &out)
		if err == nil && len(tooltest.Parse(t, out.String()).Content) != 2 {
			t.Errorf("got %q", out.String())
		}
	})
}

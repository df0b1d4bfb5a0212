package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// files returns a complete file of each type. The images have 3 by 2 pixels.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	picture := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	encode := func(err error, b *bytes.Buffer) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var p, j, g bytes.Buffer
	return map[string][]byte{
		"image/png":  encode(png.Encode(&p, picture), &p),
		"image/jpeg": encode(jpeg.Encode(&j, picture, nil), &j),
		"image/gif":  encode(gif.Encode(&g, picture, nil), &g),
		"image/webp": riff("WEBP", "VP8X", []byte{0, 0, 0, 0, 2, 0, 0, 1, 0, 0}, "VP8L", make([]byte, 5)),
		"audio/wav":  riff("WAVE", "fmt ", make([]byte, 16), "data", make([]byte, 9)),
		"audio/mpeg": append([]byte("ID3"), make([]byte, 20)...),
		"audio/ogg":  append([]byte("OggS"), make([]byte, 20)...),
		"audio/flac": append([]byte("fLaC"), make([]byte, 20)...),
		"audio/mp4":  append([]byte("\x00\x00\x00\x18ftypM4A "), make([]byte, 20)...),
	}
}

func riff(form string, chunks ...any) []byte {
	body := []byte(form)
	for i := 0; i < len(chunks); i += 2 {
		content := chunks[i+1].([]byte)
		body = append(body, chunks[i].(string)...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(content)))
		body = append(body, content...)
		if len(content)%2 == 1 {
			body = append(body, 0)
		}
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func check(mimeType string, data []byte) (Info, error) {
	if strings.HasPrefix(strings.ToLower(mimeType), "audio/") {
		return Audio(data, mimeType)
	}
	return Image(data, mimeType)
}

func TestCompleteFilesPass(t *testing.T) {
	for mimeType, data := range files(t) {
		want := Info{Type: mimeType}
		if strings.HasPrefix(mimeType, "image/") {
			want.Width, want.Height = 3, 2
		}
		for _, claim := range []string{mimeType, strings.ToUpper(mimeType) + "; q=1"} {
			if got, err := check(claim, data); err != nil || got != want {
				t.Errorf("%s: got %+v, %v, want %+v", claim, got, err, want)
			}
		}
	}
}

func TestTruncatedFilesAreRefused(t *testing.T) {
	for _, mimeType := range []string{"image/png", "image/jpeg", "image/gif", "image/webp", "audio/wav"} {
		whole := files(t)[mimeType]
		for n := range len(whole) - 1 {
			if _, err := check(mimeType, whole[:n]); err == nil {
				t.Errorf("%s: %d of %d bytes pass", mimeType, n, len(whole))
			}
		}
	}
}

func TestInvalidFilesAreRefused(t *testing.T) {
	all := files(t)
	damaged := bytes.Clone(all["image/png"])
	damaged[len(damaged)-20] ^= 1
	noWidth := bytes.Clone(all["image/gif"])
	noWidth[6], noWidth[7] = 0, 0
	vp8 := riff("WEBP", "VP8 ", []byte{0, 0, 0, 0x9d, 1, 0x2a, 0, 0, 1, 0})
	// A preview inside a header has its own end marker.
	preview := append([]byte("\xff\xd8\xff\xe1\x00\x06\xff\xd9\x00\x00"), all["image/jpeg"][2:len(all["image/jpeg"])-2]...)
	tests := []struct {
		name, mimeType string
		data           []byte
		says           string
	}{
		{"another type", "image/jpeg", all["image/png"], "the file is image/png, not image/jpeg"},
		{"a page", "image/png", []byte("<html>"), "not a file of type image/png"},
		{"base64 that was not decoded", "image/png", []byte(base64.StdEncoding.EncodeToString(all["image/png"])), "not a file of type image/png"},
		{"a script in a picture", "image/svg+xml", []byte("<svg/>"), "the types are image/png"},
		{"no type", "", all["image/png"], "the types are image/png"},
		{"nothing", "image/png", nil, "not a file of type image/png"},
		{"a wrong checksum", "image/png", damaged, "checksum"},
		{"a cut image with a whole preview", "image/jpeg", preview, "too early"},
		{"no width", "image/gif", noWidth, "no pixels"},
		{"no width in WebP", "image/webp", vp8, "no pixels"},
		{"no image in WebP", "image/webp", riff("WEBP", "EXIF", make([]byte, 12)), "header"},
		{"too much", "image/png", make([]byte, MaxBytes+1), "the limit is"},
		{"an image as a sound", "audio/wav", all["image/webp"], "not a file of type audio/wav"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := check(tt.mimeType, tt.data); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
}

// A damaged color profile or comment does not hide a picture, but damaged pixels do.
func TestDamagedOptionalPartsOfPNGAreDropped(t *testing.T) {
	whole := files(t)["image/png"]
	header := len(pngMagic) + 25
	chunk := func(kind string, sum uint32) []byte {
		c := append(binary.BigEndian.AppendUint32(nil, 3), kind+"abc"...)
		return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:])^sum)
	}
	with := func(chunks ...[]byte) []byte {
		return slices.Concat(whole[:header], slices.Concat(chunks...), whole[header:])
	}
	tests := []struct {
		name       string
		data, want []byte
	}{
		{"nothing damaged", with(chunk("tEXt", 0)), with(chunk("tEXt", 0))},
		{"a damaged profile", with(chunk("iCCP", 1)), whole},
		{"the damaged of several", with(chunk("tEXt", 0), chunk("iCCP", 1), chunk("eXIf", 0), chunk("tIME", 9)), with(chunk("tEXt", 0), chunk("eXIf", 0))},
		{"a damaged palette", with(chunk("PLTE", 1)), with(chunk("PLTE", 1))},
		{"a cut file", with(chunk("iCCP", 1))[:len(whole)], with(chunk("iCCP", 1))[:len(whole)]},
		{"data after the end", append(with(chunk("iCCP", 1)), "more"...), whole},
		{"another format", files(t)["image/gif"], files(t)["image/gif"]},
		{"the beginning alone", []byte(pngMagic), []byte(pngMagic)},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := bytes.Clone(tt.data)
			if got := Repair(tt.data); !bytes.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !bytes.Equal(tt.data, before) {
				t.Error("the input was changed")
			}
		})
	}
}

func FuzzMedia(f *testing.F) {
	for mimeType, data := range files(f) {
		f.Add(mimeType, data)
	}
	f.Fuzz(func(t *testing.T, mimeType string, data []byte) {
		if info, err := Image(data, mimeType); err == nil && (info.Width < 1 || info.Height < 1) {
			t.Errorf("%+v", info)
		}
		_, _ = Audio(data, mimeType) // must not panic
	})
}

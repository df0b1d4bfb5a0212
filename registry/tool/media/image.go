package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
)

var imageFormats = []format{
	{types: []string{"image/png"}, begin: beginsWith(pngMagic), check: checkPNG},
	{types: []string{"image/jpeg", "image/jpg"}, begin: beginsWith("\xff\xd8\xff"), check: checkJPEG},
	{types: []string{"image/gif"}, begin: beginsWith("GIF8"), check: checkGIF},
	{types: []string{"image/webp"}, begin: isRIFF("WEBP"), check: checkWebP},
}

var errNoPixels = errors.New("the image has no pixels")

const pngMagic = "\x89PNG\r\n\x1a\n"

// chunkPNG is one chunk of a PNG file.
type chunkPNG struct {
	kind    string // four letters
	whole   []byte // the chunk with its length, kind and checksum
	content []byte
	intact  bool // the checksum is right
}

// nextPNG returns the first chunk in rest.
func nextPNG(rest []byte) (c chunkPNG, err error) {
	if len(rest) < 12 {
		return c, errCut
	}
	length := uint64(binary.BigEndian.Uint32(rest))
	if uint64(len(rest)) < 12+length {
		return c, errCut
	}
	return chunkPNG{
		kind: string(rest[4:8]), whole: rest[:12+length], content: rest[8 : 8+length],
		intact: crc32.ChecksumIEEE(rest[4:8+length]) == binary.BigEndian.Uint32(rest[8+length:]),
	}, nil
}

// optional reports whether an image can be shown without the chunk: its kind begins with a
// lower-case letter.
func (c chunkPNG) optional() bool { return c.kind[0]&0x20 != 0 }

// checkPNG checks the length and the checksum of every chunk.
func checkPNG(data []byte) (width, height int, err error) {
	rest := data[len(pngMagic):]
	for first := true; ; first = false {
		c, err := nextPNG(rest)
		if err != nil {
			return 0, 0, err
		}
		if !c.intact {
			return 0, 0, errors.New("the file is damaged: a checksum is wrong")
		}
		if first {
			if c.kind != "IHDR" || len(c.content) < 8 {
				return 0, 0, errors.New("the file does not begin with its header")
			}
			width, height = int(binary.BigEndian.Uint32(c.content)), int(binary.BigEndian.Uint32(c.content[4:]))
			if width <= 0 || height <= 0 {
				return 0, 0, errNoPixels
			}
		}
		if c.kind == "IEND" {
			return width, height, nil
		}
		rest = rest[len(c.whole):]
	}
}

// Repair returns a PNG image without the optional chunks whose checksum is wrong, such as a damaged
// color profile. Viewers ignore such chunks, but some programs refuse the whole image. All other
// data is returned unchanged.
func Repair(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte(pngMagic)) {
		return data
	}
	var repaired []byte // nil while all chunks are kept
	for at := len(pngMagic); at < len(data); {
		c, err := nextPNG(data[at:])
		if err != nil {
			return data
		}
		if drop := c.optional() && !c.intact; drop && repaired == nil {
			repaired = bytes.Clone(data[:at])
		} else if !drop && repaired != nil {
			repaired = append(repaired, c.whole...)
		}
		at += len(c.whole)
		if c.kind == "IEND" {
			break // checkPNG ignores data after the end
		}
	}
	if repaired == nil {
		return data
	}
	return repaired
}

// checkJPEG walks the headers, then searches the scan data for the end marker, which cannot occur
// within a sample. Data after the end marker is ignored.
func checkJPEG(data []byte) (width, height int, err error) {
	const startOfScan = 0xda
	for rest := data[2:]; ; {
		if len(rest) < 4 || rest[0] != 0xff {
			return 0, 0, errCut
		}
		if rest[1] == 0xff { // a header may be padded
			rest = rest[1:]
			continue
		}
		length := 2 + int(binary.BigEndian.Uint16(rest[2:]))
		if len(rest) < length {
			return 0, 0, errCut
		}
		if rest[1] == startOfScan {
			if !bytes.Contains(rest[length:], []byte("\xff\xd9")) {
				return 0, 0, errCut
			}
			break
		}
		rest = rest[length:]
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	return size(config, err)
}

// checkGIF looks for the trailer, which some encoders pad with zero bytes.
func checkGIF(data []byte) (width, height int, err error) {
	if end := bytes.TrimRight(data, "\x00"); len(end) == 0 || end[len(end)-1] != ';' {
		return 0, 0, errCut
	}
	config, err := gif.DecodeConfig(bytes.NewReader(data))
	return size(config, err)
}

func size(config image.Config, err error) (int, int, error) {
	if err != nil {
		return 0, 0, errors.New("the header does not decode: " + err.Error())
	}
	if config.Width <= 0 || config.Height <= 0 {
		return 0, 0, errNoPixels
	}
	return config.Width, config.Height, nil
}

// checkWebP walks the chunks of the container and reads the size from the first chunk.
func checkWebP(data []byte) (width, height int, err error) {
	chunks, err := riffChunks(data)
	if err != nil {
		return 0, 0, err
	}
	if len(chunks) == 0 || len(chunks[0].content) < 10 {
		return 0, 0, errors.New("the file does not begin with its header")
	}
	switch c := chunks[0].content; chunks[0].kind {
	case "VP8 ": // a key frame: a tag and a start code, 3 bytes each, then 14-bit sizes
		width, height = int(binary.LittleEndian.Uint16(c[6:])&0x3fff), int(binary.LittleEndian.Uint16(c[8:])&0x3fff)
	case "VP8L": // a signature byte, then width-1 and height-1 in 14 bits each
		bits := binary.LittleEndian.Uint32(c[1:])
		width, height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
	case "VP8X": // four bytes of flags, then width-1 and height-1 in 24 bits each
		width, height = int(uint24(c[4:]))+1, int(uint24(c[7:]))+1
	default:
		return 0, 0, errors.New("the file does not begin with its header")
	}
	if width <= 0 || height <= 0 {
		return 0, 0, errNoPixels
	}
	return width, height, nil
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

package media

import "encoding/binary"

// isRIFF returns a function that recognizes files in the RIFF container with the given form, such
// as "WAVE".
func isRIFF(form string) func([]byte) bool {
	return func(data []byte) bool {
		return len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == form
	}
}

type riffChunk struct {
	kind    string
	content []byte
}

// riffChunks splits a file into chunks. It fails if a chunk is incomplete.
func riffChunks(data []byte) ([]riffChunk, error) {
	size := uint64(binary.LittleEndian.Uint32(data[4:]))
	if size < 4 || uint64(len(data)) < 8+size {
		return nil, errCut
	}
	var chunks []riffChunk
	for rest := data[12 : 8+size]; len(rest) >= 8; {
		length := uint64(binary.LittleEndian.Uint32(rest[4:]))
		if uint64(len(rest)) < 8+length {
			return nil, errCut
		}
		chunks = append(chunks, riffChunk{string(rest[:4]), rest[8 : 8+length]})
		rest = rest[min(8+length+length%2, uint64(len(rest))):] // chunks begin at even offsets
	}
	return chunks, nil
}

package media

var audioFormats = []format{
	{types: []string{"audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"}, begin: isRIFF("WAVE"), check: checkWAV},
	{types: []string{"audio/mpeg", "audio/mp3"}, begin: isMP3, check: noCheck},
	{types: []string{"audio/ogg", "audio/opus"}, begin: beginsWith("OggS"), check: noCheck},
	{types: []string{"audio/flac", "audio/x-flac"}, begin: beginsWith("fLaC"), check: noCheck},
	{types: []string{"audio/mp4", "audio/m4a", "audio/x-m4a", "audio/aac"}, begin: isMP4, check: noCheck},
}

// isMP3 reports whether data begins with an ID3 tag, or with the eleven bits that begin a frame.
func isMP3(data []byte) bool {
	return beginsWith("ID3")(data) || len(data) >= 4 && data[0] == 0xff && data[1]&0xe0 == 0xe0
}

func isMP4(data []byte) bool { return len(data) >= 12 && string(data[4:8]) == "ftyp" }

func checkWAV(data []byte) (int, int, error) {
	_, err := riffChunks(data)
	return 0, 0, err
}

// noCheck is for formats of which only the beginning can be checked.
func noCheck([]byte) (int, int, error) { return 0, 0, nil }

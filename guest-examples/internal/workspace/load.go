package workspace

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
)

// Load reads the whole file name, which Target described by info. One of more
// than most bytes is an error.
func (d Dir) Load(param, name string, info fs.FileInfo, most int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, Explain(d.FS, param, name, err)
	}
	defer f.Close()
	var data bytes.Buffer
	data.Grow(int(min(info.Size(), most)) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return nil, Explain(d.FS, param, name, err)
	}
	if int64(data.Len()) > most {
		return nil, fmt.Errorf("%s: %s has more than the %d bytes that this tool takes", param, Display(name), most)
	}
	return data.Bytes(), nil
}

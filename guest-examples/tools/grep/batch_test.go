package grep

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"
)

// The result is the same whether files are read together or one at a time, and for any number of
// batches. The test has large files, more files than fit in the buffer, and all kinds of text.
func TestBatchesAreSearchedAsFilesAre(t *testing.T) {
	tree := fstest.MapFS{}
	add := func(name, content string) { tree[name] = &fstest.MapFile{Data: []byte(content)} }
	for i := range 900 {
		content := fmt.Sprintf("file %d\nsome text\n", i)
		if i%7 == 0 {
			content = strings.Repeat("a line of filling, without what is looked for\n", 600*(i%5)) + content
		}
		if i%10 == 0 {
			content += fmt.Sprintf("needle %d\n", i)
		}
		add(fmt.Sprintf("d%d/e%d/f%d.txt", i%90, i%3, i), content)
	}
	add("large.txt", strings.Repeat("filling\n", maxSmall/4)+"needle at the end\n")
	add("small.txt", strings.Repeat("x", maxSmall-8)+"\nneedle\n")
	add("crlf.txt", "one\r\nneedle\r\nthree\r\n")
	add("mark.txt", "\xef\xbb\xbfneedle\n")
	add("binary", "needle\x00\n")
	add("control", "needle\x01\x02\x03\x04\x05\x06\x07\n")
	// The NUL comes after the bytes that are checked to decide whether a file is binary.
	add("late", strings.Repeat("text\n", 1000)+"needle\x00\n")
	add("latin1.txt", "caf\xe9 needle\n")
	add("empty", "")
	add("last.txt", "needle without an end")
	var wide []byte
	for _, unit := range utf16.Encode([]rune("\ufeffwide\nneedle ü\n")) {
		wide = binary.LittleEndian.AppendUint16(wide, unit)
	}
	add("wide.txt", string(wide))
	add(".gitignore", "ignored.txt\n")
	add("ignored.txt", "needle\n")

	dir := t.TempDir()
	if err := os.CopyFS(dir, tree); err != nil {
		t.Fatal(err)
	}
	for _, args := range []Args{
		{Pattern: "needle", MaxResults: 1000},
		{Pattern: `needle \d+$`, MaxResults: 1000},
		{Pattern: "NEEDLE", IgnoreCase: true, OutputMode: Files, MaxResults: 1000},
		{Pattern: "e", OutputMode: Count, MaxResults: 2000},
		{Pattern: "needle", Context: 1, MaxResults: 1000},
		{Pattern: "needle", MaxResults: 5},
	} {
		var outputs [2]string
		for i, fsys := range []fs.FS{os.DirFS(dir), vast{os.DirFS(dir)}} {
			var out strings.Builder
			if err := Run(fsys, args, &out); err != nil {
				t.Fatal(err)
			}
			outputs[i] = out.String()
		}
		together, alone := outputs[0], outputs[1]
		if together != alone {
			t.Errorf("%+v: together\n%.2000s\nalone\n%.2000s", args, together, alone)
		}
		if !strings.Contains(together, "d10/e1/f10.txt") && args.MaxResults > 5 {
			t.Errorf("%+v finds nothing in a directory:\n%.500s", args, together)
		}
	}
}

// vast is a file system in which each file seems too large to be read together with others.
type vast struct{ fs.FS }

func (v vast) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(v.FS, name)
	if err != nil || info.IsDir() {
		return info, err
	}
	return vastInfo{info}, nil
}

type vastInfo struct{ fs.FileInfo }

func (vastInfo) Size() int64 { return 1 << 40 }

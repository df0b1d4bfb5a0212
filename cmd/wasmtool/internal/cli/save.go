package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// saveOptions holds the flags that save the files of a result.
type saveOptions struct {
	path  string // "" saves nothing; saveToOutput writes to standard output
	force bool
}

const saveToOutput = "-"

func (o *saveOptions) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.path, "save", "o", "", "save the image, audio or file of the result in `FILE`, or write it to standard output with -; several are numbered: FILE-1.png, FILE-2.png")
	cmd.Flags().BoolVar(&o.force, "force", false, "let --save replace files")
}

// check refuses a flag that would fail after the call.
func (o saveOptions) check(cmd *cobra.Command, s Streams, asJSON bool) error {
	switch {
	case o.path == saveToOutput && asJSON:
		return usage(cmd, "--save - and --json both use standard output; name a file")
	case o.path == saveToOutput && terminal.Is(s.Out):
		return usage(cmd, "--save - does not write to a terminal; redirect standard output, or name a file")
	case o.path == "" || o.path == saveToOutput || o.force:
		return nil
	}
	if _, err := os.Lstat(o.path); err == nil {
		return usage(cmd, "--save "+oneLine(o.path)+": the file exists; add --force to replace it")
	}
	return nil
}

// savable returns the file that a content block holds, and its type. ok is false for text and
// links.
func savable(c tool.Content) (data []byte, mimeType string, ok bool) {
	switch {
	case c.Type == tool.ContentImage || c.Type == tool.ContentAudio:
		return c.Data, c.MIMEType, true
	case c.Type != tool.ContentResource:
		return nil, "", false
	case c.Resource.Blob != nil:
		return c.Resource.Blob, c.Resource.MIMEType, true
	}
	return []byte(c.Resource.Text), c.Resource.MIMEType, true
}

// save saves the files of a result, and returns the result without them.
func (o saveOptions) save(s Streams, r tool.Result) (tool.Result, error) {
	isFile := func(c tool.Content) bool {
		_, _, ok := savable(c)
		return ok
	}
	files := slices.DeleteFunc(slices.Concat(r.Content, r.Attachments), func(c tool.Content) bool { return !isFile(c) })
	r.Content = slices.DeleteFunc(slices.Clone(r.Content), isFile)
	r.Attachments = slices.DeleteFunc(slices.Clone(r.Attachments), isFile)
	switch {
	case len(files) == 0:
		return r, outputFailed(fmt.Errorf("nothing to save in %s: the result has no image, audio or file", oneLine(o.path)))
	case o.path == saveToOutput && len(files) > 1:
		return r, outputFailed(fmt.Errorf("the result has %d files, and standard output takes one; name a file with --save", len(files)))
	}
	for i, c := range files {
		path := o.path
		if len(files) > 1 {
			extension := filepath.Ext(path)
			path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, extension), i+1, extension)
		}
		data, mimeType, _ := savable(c)
		if err := o.write(s, path, data); err != nil {
			return r, outputFailed(err)
		}
		mimeType = cmp.Or(mimeType, "unknown type")
		fmt.Fprintf(s.Err, "wasmtool: saved %s (%s, %s)\n", yesNo(path == saveToOutput, "to standard output", oneLine(path)), oneLine(mimeType), byteCount(uint64(len(data))))
	}
	return r, nil
}

func (o saveOptions) write(s Streams, path string, data []byte) error {
	if path == saveToOutput {
		_, err := s.Out.Write(data)
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL // O_EXCL also refuses to follow a link
	if o.force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

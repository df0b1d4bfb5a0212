package workspace

import (
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// Reading returns a tool that decodes its arguments and passes them, with the files of the call, to
// the function run.
func Reading[Args toolabi.Announcer](dir Dir, run func(fs.FS, Args, io.Writer) error) toolabi.Tool {
	decode := toolabi.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		toolabi.ReportStart(args)
		files, err := dir.At(guest.CurrentCall())
		if err != nil {
			return err
		}
		return run(files, args, out)
	}
}

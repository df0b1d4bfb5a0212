package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/runtime"
)

// compileWorkerName is the command by which wasmtool starts itself to compile a module
// in a process that it can kill.
const compileWorkerName = "compile-worker"

func (a *app) compileWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    compileWorkerName,
		Short:  "Compile a module for another wasmtool; not for people",
		Hidden: true,
		Args:   noArguments,
		RunE: func(*cobra.Command, []string) error {
			if code := runtime.CompileWorker(a.In, a.Out); code != 0 {
				return errSilent{errors.New(fmt.Sprint("status ", code))}
			}
			return nil
		},
	}
}

// compileCommand is how this program starts itself to compile, or nil when it does not
// know where it is: then it compiles in its own process.
func compileCommand() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, compileWorkerName}
}

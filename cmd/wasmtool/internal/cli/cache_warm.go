package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

func (a *app) cacheWarmCommand() *cobra.Command {
	var o toolOptions
	cmd := &cobra.Command{
		Use:   "warm [NAME...]",
		Short: "Compile tools now, so that their first call is fast",
		Long: `Compile the modules of the tools named, or of all tools: the built-in ones and those
of --tools. What is compiled already stays as it is. Nothing of a tool is run, and
nothing is printed but for progress on a terminal.

Exit status: 0; 2 when the folder cannot be used; 7 for a name that is no tool; 8
when a tool cannot be loaded; 70 when a compiled module could not be kept. The other
tools are compiled all the same.`,
		Example: `  wasmtool cache warm
  wasmtool cache warm grep glob
  wasmtool cache warm --tools ./my-tools`,
		RunE: func(cmd *cobra.Command, names []string) error { return a.cacheWarm(cmd, o, names) },
	}
	o.add(cmd)
	return cmd
}

func (a *app) cacheWarm(cmd *cobra.Command, o toolOptions, names []string) error {
	if _, err := a.openCache(cmd, o); err != nil {
		return err
	}
	var failure error
	fail := func(err error) {
		a.complain(err)
		failure = errSilent{err}
	}
	var unkept atomic.Pointer[tool.Error]
	progress := &warmProgress{app: a}
	options, err := a.standardOptions(o, toolSet{onLoadError: fail, onCompile: progress.compiling})
	if err != nil {
		return err
	}
	options.Logger = slog.New(warningHandler(func(message string) {
		if strings.HasPrefix(message, "compiled modules are not kept") {
			unkept.Store(&tool.Error{Code: tool.CodeInternal, Message: message})
		} else {
			a.warn(errors.New(message))
		}
	}))
	tools, err := standard.New(options)
	if err != nil {
		return err
	}
	defer tools.Close()
	if len(names) == 0 {
		for _, info := range tools.List(registry.Filter{}) {
			names = append(names, info.Name)
		}
	}
	for i, name := range names {
		progress.next(name, i+1, len(names))
		if err := tools.Prepare(cmd.Context(), name); err != nil {
			fail(fmt.Errorf("%s: %w", name, err))
		}
		if cmd.Context().Err() != nil {
			break
		}
	}
	if e := unkept.Load(); e != nil {
		fail(e)
	}
	return failure
}

// warmProgress says on a terminal which tool is being compiled.
type warmProgress struct {
	app *app
	// step is what compiling says; a compilation that its tool no longer waits for
	// may still ask.
	step atomic.Pointer[string]
}

func (p *warmProgress) next(name string, n, of int) {
	step := fmt.Sprintf("compiling %s, %d of %d", oneLine(name), n, of)
	p.step.Store(&step)
}

func (p *warmProgress) compiling(e runtime.CompileEvent) {
	if step := p.step.Load(); step != nil && isTerminal(p.app.Err) {
		fmt.Fprintf(p.app.Err, "wasmtool: %s (%s) ...\n", *step, byteCount(uint64(e.Bytes)))
	}
}

// warningHandler is a slog.Handler that turns each warning into a message with its
// reason.
type warningHandler func(message string)

// Enabled implements slog.Handler.
func (h warningHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}

// Handle implements slog.Handler.
func (h warningHandler) Handle(_ context.Context, r slog.Record) error {
	message := r.Message
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "reason" {
			message += ": " + attr.Value.String()
		}
		return true
	})
	h(message)
	return nil
}

// WithAttrs implements slog.Handler.
func (h warningHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h warningHandler) WithGroup(string) slog.Handler { return h }

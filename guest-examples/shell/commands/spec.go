package commands

import (
	"context"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// spec describes a command.
type spec struct {
	name string
	// synopsis is the text after the name in the usage line.
	synopsis string
	// options specifies the options of the command in the syntax of parseOptions. If options is
	// rawArguments, the command gets all words as operands.
	options string
	// usage is the exit status for invalid options; 0 means 1.
	usage int
	// note lists the differences from the original program, if any.
	note string
	run  func(p *process, o options, operands []string) int
}

// rawArguments is the value of spec.options for a command that parses all words itself.
const rawArguments = "raw"

// command returns the function that runs the command, for the table of commands.
func (s spec) command() command.Func {
	return func(ctx context.Context, e *command.Env) int {
		p := newProcess(ctx, e, s.name)
		return p.exit(s.start(p))
	}
}

func (s spec) start(p *process) int {
	words := p.env.Args[1:]
	if s.options == rawArguments {
		if len(words) == 1 && words[0] == "--help" && s.note != "" {
			p.print(s.help())
			return 0
		}
		return s.run(p, nil, words)
	}
	o, operands, err := parseOptions(s.options, words)
	if err != nil {
		p.errorf("%v", err)
		return max(s.usage, 1)
	}
	if o.has("help") {
		p.printf("%s", s.help())
		return 0
	}
	return s.run(p, o, operands)
}

// help returns the output of --help.
func (s spec) help() string {
	text := "usage: " + s.name
	if s.synopsis != "" {
		text += " " + s.synopsis
	}
	text += "\n"
	if known := knownOptions(s.options); known != "" && s.options != rawArguments {
		text += "options: " + known + "\n"
	}
	if s.note != "" {
		text += s.note + "\n"
	}
	return text
}

package commands

import "github.com/wasmtool/wasmtool/guest-examples/shell/printf"

// The shell has builtins for these commands; xargs, find -exec and env need them in the table as
// well.

var echo = spec{name: "echo", synopsis: "[-neE] [STRING]...", options: rawArguments, run: runEcho}

func runEcho(p *process, _ options, words []string) int {
	p.print(printf.Echo(words))
	return 0
}

var printfSpec = spec{name: "printf", synopsis: "FORMAT [ARGUMENT]...", options: rawArguments, run: runPrintf}

func runPrintf(p *process, _ options, words []string) int {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return p.fail("missing operand")
	}
	text, problems, err := printf.Format(words[0], words[1:], p.maximum)
	p.print(text)
	for _, problem := range problems {
		p.errorf("%s", problem)
	}
	if err != nil {
		p.errorf("%v", err)
	}
	return p.status
}

var truth = spec{name: "true", options: rawArguments, run: func(*process, options, []string) int { return 0 }}

var falsehood = spec{name: "false", options: rawArguments, run: func(*process, options, []string) int { return 1 }}

package commands

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

var env = spec{
	name: "env", synopsis: "[-i] [-u NAME] [NAME=VALUE]... [COMMAND [ARG]...]", usage: 125,
	options: "+ i,ignore-environment u,unset: 0,null C,chdir: S,split-string:",
	run:     runEnv,
}

func runEnv(p *process, o options, words []string) int {
	var pairs []string
	if !o.has("i") {
		pairs = p.env.Environ()
	}
	pairs = slices.Clone(pairs)
	remove := func(name string) {
		pairs = slices.DeleteFunc(pairs, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
	}
	for _, name := range o.values("u") {
		remove(name)
	}
	if o.has("S") {
		split, err := splitQuoted(o.value("S", ""), true)
		if err != nil {
			p.errorf("%v", err)
			return 125
		}
		words = append(split, words...)
	}
	for len(words) > 0 && strings.Contains(words[0], "=") {
		name, _, _ := strings.Cut(words[0], "=")
		remove(name)
		pairs, words = append(pairs, words[0]), words[1:]
	}
	if len(words) == 0 {
		for _, pair := range pairs {
			p.writeLine([]byte(pair), lineEnd(o, "0"))
		}
		return 0
	}
	inner := *p.env
	inner.Args = words
	inner.Environ = func() []string { return pairs }
	inner.Getenv = func(name string) string { return lookUp(pairs, name) }
	if o.has("0") {
		p.errorf("cannot specify --null (-0) with command")
		return 125
	}
	if o.has("C") {
		dir := o.value("C", "")
		if !p.isDirectory(dir) {
			p.errorf("cannot change directory to '%s': No such file or directory", dir)
			return 125
		}
		inner.Dir = p.path(dir)
	}
	p.flush()
	return p.env.Run(p.ctx, words, &inner)
}

func lookUp(pairs []string, name string) string {
	for _, pair := range pairs {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

var printenv = spec{name: "printenv", synopsis: "[NAME]...", options: "0,null", usage: 2, run: runPrintenv}

func runPrintenv(p *process, o options, names []string) int {
	pairs := p.env.Environ()
	if len(names) == 0 {
		for _, pair := range pairs {
			p.writeLine([]byte(pair), lineEnd(o, "0"))
		}
	}
	status := 0
	for _, name := range names {
		if !slices.ContainsFunc(pairs, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }) {
			status = 1
			continue
		}
		p.writeLine([]byte(lookUp(pairs, name)), lineEnd(o, "0"))
	}
	return status
}

var nohup = spec{
	name: "nohup", synopsis: "COMMAND [ARG]...", options: "+", usage: 125,
	note: "The command runs unchanged; it does not survive the end of the call.",
	run: func(p *process, _ options, words []string) int {
		if len(words) == 0 {
			return p.fail("missing operand")
		}
		return p.run(p.ctx, words, p.env.Stdin)
	},
}

var sleep = spec{name: "sleep", synopsis: "NUMBER[smhd]...", options: rawArguments, run: runSleep}

func runSleep(p *process, _ options, words []string) int {
	if len(words) == 0 {
		return p.fail("missing operand")
	}
	total := time.Duration(0)
	for _, word := range words {
		d, ok := parseDuration(word)
		if !ok {
			return p.fail("invalid time interval '%s'", word)
		}
		total += d
	}
	timer := time.NewTimer(total)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.ctx.Done():
	}
	return 0
}

// parseDuration parses a number of seconds, or a number with a unit, up to a year.
func parseDuration(text string) (time.Duration, bool) {
	unit := time.Second
	if text != "" {
		if at := strings.IndexByte("smhd", text[len(text)-1]); at >= 0 {
			unit = []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}[at]
			text = text[:len(text)-1]
		}
	}
	const year = 365 * 24 * time.Hour
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) || strings.ContainsAny(text, "_pP") {
		return 0, false
	}
	return time.Duration(min(n*float64(unit), float64(year))), true
}

var timeout = spec{
	name: "timeout", synopsis: "DURATION COMMAND [ARG]...", usage: 125,
	options: "+ s,signal: k,kill-after: foreground preserve-status v,verbose",
	note:    "A command always ends at the limit, so -k has no effect. Any signal only chooses the exit status.",
	run:     runTimeout,
}

func runTimeout(p *process, o options, words []string) int {
	number, ok := signalNumber(o.value("s", "TERM"))
	if !ok {
		p.errorf("'%s': invalid signal", o.value("s", ""))
		return 125
	}
	if after := o.value("k", "0"); after != "" {
		if _, ok := parseDuration(after); !ok {
			p.errorf("invalid time interval '%s'", after)
			return 125
		}
	}
	if len(words) < 2 {
		p.errorf("missing operand")
		return 125
	}
	limit, ok := parseDuration(words[0])
	if !ok {
		p.errorf("invalid time interval '%s'", words[0])
		return 125
	}
	ctx := p.ctx
	if limit > 0 { // 0 means no limit
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	status := p.run(ctx, words[1:], p.env.Stdin)
	if ctx.Err() == nil || p.ctx.Err() != nil {
		return status
	}
	if o.has("v") {
		p.errorf("sending signal %s to command '%s'", signalNames()[number], words[1])
	}
	if o.has("preserve-status") || number == sigkill {
		return 128 + number // as if the signal had ended the command
	}
	return 124
}

const sigkill = 9

// signalNames returns the names of the signals that end a program.
func signalNames() map[int]string {
	return map[int]string{
		1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE", sigkill: "KILL", 10: "USR1", 11: "SEGV", 12: "USR2",
		13: "PIPE", 14: "ALRM", 15: "TERM",
	}
}

// signalNumber parses a number or a name of a signal, with or without SIG.
func signalNumber(text string) (int, bool) {
	name := strings.TrimPrefix(strings.ToUpper(text), "SIG")
	for number, known := range signalNames() {
		if name == known || text == strconv.Itoa(number) {
			return number, true
		}
	}
	return 0, false
}

package commands

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/benhoyt/goawk/interp"
	"github.com/benhoyt/goawk/lexer"
	"github.com/benhoyt/goawk/parser"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// awkSpec returns the specification of awk. The interpreter of awk opens files relative to the
// working directory of the process, so the command changes that directory while it runs.
func awkSpec(directory *workingDirectory) spec {
	return spec{
		name: "awk", synopsis: "[-F FS] [-v VAR=VALUE]... [-f FILE]... ['PROGRAM'] [FILE]...", usage: 2,
		options: "+ F,field-separator: v,assign: f,file: E: V,version",
		note:    "system() and pipes to and from commands are refused, since there are no programs to run. Use the pipes of the shell around awk. The word boundaries \\y, \\< and \\> are refused, too.",
		run:     func(p *process, o options, words []string) int { return runAwk(p, o, words, directory) },
	}
}

func runAwk(p *process, o options, words []string, directory *workingDirectory) int {
	if o.has("V") {
		p.print("awk of the sandbox's shell, with the language of POSIX\n")
		return 0
	}
	var source []string
	for _, opt := range o {
		if opt.name != "f" && opt.name != "E" {
			continue
		}
		data, err := p.readFile(opt.value)
		if err != nil {
			p.errorf("cannot open %s (%s)", opt.value, message(err))
			return 2
		}
		source = append(source, string(data))
	}
	if len(source) == 0 {
		if len(words) == 0 {
			p.errorf("no program; usage: awk [-F FS] [-v VAR=VALUE] 'PROGRAM' [FILE]...")
			return 2
		}
		source, words = words[:1], words[1:]
	}
	program, err := parser.ParseProgram([]byte(strings.Join(source, "\n")), nil)
	if err != nil {
		p.errorf("syntax error: %s", explainAwk(err))
		return 2
	}
	vars := []string{}
	if o.has("F") {
		vars = append(vars, "FS", awkValue(o.value("F", "")))
	}
	for _, assignment := range o.values("v") {
		name, value, ok := strings.Cut(assignment, "=")
		if !ok || !isVariable(name) {
			p.errorf("-v needs VAR=VALUE, not '%s'", assignment)
			return 2
		}
		vars = append(vars, name, awkValue(value))
	}
	return runProgram(p, program, vars, words, directory)
}

// awkValue replaces the escapes of a value on the command line, as in a string of a program.
func awkValue(value string) string {
	// A value can contain a line end, but a string of a program cannot.
	text, err := lexer.Unescape(strings.ReplaceAll(value, "\n", `\n`))
	if err != nil {
		return value // gawk also keeps \x without digits
	}
	return text
}

// isVariable reports whether a variable of awk can have the name.
func isVariable(name string) bool {
	for i := range len(name) {
		if c := name[i]; c != '_' && !isAlpha(c) && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return name != ""
}

func runProgram(p *process, program *parser.Program, vars, words []string, directory *workingDirectory) (status int) {
	// The working directory is physical: in a guest, package os cleans paths with "..".
	dir, err := filepath.EvalSymlinks(p.env.Dir)
	if err != nil {
		p.errorf("%s: %s", p.env.Dir, message(err))
		return 2
	}
	release, err := directory.enter(p.ctx, dir)
	if err != nil {
		p.errorf("%v", err)
		return 2
	}
	defer release()
	var environ []string
	for _, pair := range p.env.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		environ = append(environ, name, value)
	}
	awk, err := interp.New(program)
	if err != nil {
		p.errorf("%v", err)
		return 2
	}
	status, err = awk.ExecuteContext(newYieldingErr(p.ctx), &interp.Config{
		Stdin: yielding{p, p.env.Stdin}, Output: p, Error: p.env.Stderr, Argv0: "awk", Args: awkOperands(words, dir), Vars: vars,
		Environ: environ, NoExec: true, Chars: true, NewlineOutput: interp.RawNewlineMode,
	})
	if err != nil && p.ctx.Err() == nil && p.outErr == nil {
		p.errorf("%s", explainAwk(err))
		return 2
	}
	return status
}

// awkOperands prepares the operands for the interpreter, which expects "-" for /dev/stdin, escapes
// for the line ends in the value of an assignment, and no ".." after a link.
func awkOperands(words []string, dir string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		name, value, assigns := strings.Cut(word, "=")
		switch {
		case word == "/dev/stdin":
			word = "-"
		case assigns && isVariable(name):
			word = name + "=" + strings.ReplaceAll(value, "\n", `\n`)
		default:
			if file := command.Path(dir, word); strings.Contains(word, "/..") && file != path.Join(dir, word) {
				word = file
			}
		}
		out[i] = word
	}
	return out
}

func explainAwk(err error) string {
	text := err.Error()
	if strings.Contains(text, "NoExec") {
		return "system() and pipes to and from commands are not supported: there are no programs to run; use the pipes of the shell around awk"
	}
	if strings.Contains(text, "invalid escape sequence: `\\y`") {
		return `the word boundaries \y, \< and \> are not supported in awk; use sed or grep, or match the characters around the word`
	}
	var failed *os.PathError
	if errors.As(err, &failed) {
		return fmt.Sprintf("cannot open \"%s\" (%s)", failed.Path, message(failed.Err))
	}
	if _, rest, ok := strings.Cut(text, "file \""); ok && strings.HasSuffix(text, "\" not found") {
		return fmt.Sprintf("cannot open \"%s\" (No such file or directory)", strings.TrimSuffix(rest, "\" not found"))
	}
	return text
}

// yielding is a reader that lets other goroutines run before each read, because the awk interpreter
// never yields.
type yielding struct {
	p *process
	r io.Reader
}

func (y yielding) Read(b []byte) (int, error) {
	if y.p.stopped() {
		return 0, io.EOF
	}
	return y.r.Read(b)
}

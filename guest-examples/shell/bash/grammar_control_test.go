package bash

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Small scripts of conditions, loops, functions, subshells, traps and redirections behave as in the
// system's bash.
func TestControlFlowAsBash(t *testing.T) {
	compareGenerated(t, 400, 3_000, controlScript)
}

// control makes a script. Each line is complete, or begins or ends a compound command, so a script
// can be shortened line by line.
type control struct {
	*rand.Rand
	lines     []string
	functions int
	counters  int
	marks     int
	inLoop    int
	inFunc    bool
}

func controlScript(r *rand.Rand) string {
	g := &control{Rand: r}
	for range g.IntN(3) {
		g.function()
	}
	g.exitTrap()
	for range 1 + g.IntN(3) {
		g.statement(2)
	}
	g.line(`echo "end $?"`)
	return strings.Join(g.lines, "\n") + "\n"
}

func (g *control) line(format string, args ...any) {
	g.lines = append(g.lines, fmt.Sprintf(format, args...))
}

func (g *control) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *control) function() {
	outer := *g
	g.line("f%d() {", g.functions)
	g.inFunc, g.inLoop = true, 0
	g.block(2)
	g.line("}")
	g.inFunc, g.inLoop = outer.inFunc, outer.inLoop
	g.functions++
}

func (g *control) block(depth int) {
	for range 1 + g.IntN(3) {
		g.statement(depth - 1)
	}
}

// mark returns a new word to print.
func (g *control) mark() string {
	g.marks++
	return fmt.Sprintf("m%d", g.marks)
}

// toFile redirects a command to a new file and prints the file.
func (g *control) toFile() string {
	file := g.mark()
	return fmt.Sprintf(" > %s; cat %[1]s", file)
}

// simple returns a command of one line.
func (g *control) simple() string {
	switch g.IntN(16) {
	case 0, 1, 2:
		return "echo " + g.mark()
	case 3:
		return `echo "` + g.mark() + ` $?"`
	case 4:
		return "true"
	case 5, 6:
		return "false"
	case 7:
		return fmt.Sprintf("(exit %d)", g.IntN(4))
	case 8:
		if g.functions > 0 {
			return fmt.Sprintf("f%d", g.IntN(g.functions))
		}
		return "x=1"
	case 9:
		return g.jump()
	case 10:
		return g.pick("x=$(false)", "x=$(exit 3)", `x=$(echo `+g.mark()+`; exit 2)`, `x=a`, `(( 0 ))`, `(( 1 ))`, "[[ a == b ]]", "[ 1 = 1 ]", "[ -z x ]")
	case 11:
		return "! " + g.pick("true", "false", "(exit 2)")
	case 12:
		return g.pick("eval 'false'", `eval "echo `+g.mark()+`"`, "eval '(exit 4)'", "eval ''", `eval "break"`, `eval 'return 3'`)
	case 13:
		return g.pick("false | true", "true | false", "eval 'exit 2' | eval 'exit 3'", "echo "+g.mark()+" | cat", "! false | true") + g.pick("", `; echo "${PIPESTATUS[*]}"`)
	case 14:
		return g.redirected()
	}
	return g.pick("set -e", "set +e", "set -o pipefail", "shift", "shopt -s inherit_errexit", "set -E", "cat <<< $((1/0))", "cd .", "unset x", ":", "x=$((2*3))", "local x=1", "readonly y", `echo "${FUNCNAME[0]}"`, "trap 'echo err-$?' ERR", "trap - EXIT", "trap - ERR", "wait")
}

// jump returns a command that leaves a loop, a function or the script.
func (g *control) jump() string {
	switch {
	case g.inLoop > 0 && g.IntN(3) > 0:
		return g.pick("break", "continue", "break 2", "continue 2", "break 1")
	case g.inFunc && g.IntN(4) > 0:
		return g.pick("return", "return 0", "return 3", "return 1")
	case g.IntN(4) == 0:
		return g.pick("exit", "exit 3", "exit 0")
	}
	return "false"
}

// redirected returns a command with redirections.
func (g *control) redirected() string {
	m := g.mark()
	return g.pick(
		"echo "+m+g.toFile(),
		"echo "+m+" >> a; cat a",
		"echo "+m+" >&2",
		"{ echo "+m+"; echo e >&2; } 2>&1",
		"{ echo "+m+"; echo e >&2; } 2>/dev/null",
		"exec 3>&1; echo "+m+" >&3; exec 3>&-",
		"exec 3>g; echo "+m+" >&3; exec 3>&-; cat g",
		"echo a > g; exec 4<g; read -r x <&4; echo $x; exec 4<&-",
		"{ echo "+m+" 1>&2; } 3>&1 1>&2 2>&3",
		"cat < nofile",
		"echo "+m+" > no/dir",
		"cat <<< "+m,
		"echo "+m+" >&7",
		"set -C; echo a > h; echo b > h; echo $?; echo c >| h; cat h; set +C",
	)
}

// list returns simple commands joined by && and ||.
func (g *control) list() string {
	text := g.simple()
	for range g.IntN(3) {
		text += g.pick(" && ", " || ") + g.simple()
	}
	if strings.ContainsAny(text, ";") {
		return "{ " + text + "; }"
	}
	return text
}

func (g *control) statement(depth int) {
	if depth <= 0 {
		g.line("%s", g.list())
		return
	}
	switch g.IntN(14) {
	case 0, 1, 2:
		g.line("%s", g.list())
	case 3, 4:
		g.line("if %s; then", g.list())
		g.block(depth)
		if g.IntN(3) == 0 {
			g.line("elif %s; then", g.list())
			g.block(depth)
		}
		if g.IntN(2) == 0 {
			g.line("else")
			g.block(depth)
		}
		g.line("fi%s", g.tail())
	case 5:
		g.choice(depth)
	case 6, 7, 8:
		g.loop(depth)
	case 9:
		g.line("(")
		g.exitTrap()
		g.inside(depth, 0)
		g.line(")%s", g.tail())
	case 10:
		g.line("{")
		g.block(depth)
		g.line("}%s", g.tail())
	case 11:
		g.line(`%s"$(`, g.pick("x=", "echo ", "x=", "local v="))
		g.exitTrap()
		g.inside(depth, 0)
		g.line(`)"%s`, g.pick("", " && echo "+g.mark(), " || echo "+g.mark()))
	case 12:
		g.line("{")
		g.inside(depth, 0)
		g.line("} | %s", g.pick("cat", `while read -r l; do echo "<$l>"; done`, `{ read -r l; echo "<$l>"; cat; }`))
	case 13:
		g.line("(")
		g.exitTrap()
		g.inside(depth, 0)
		g.line(") & wait $!%s", g.pick("", `; echo "w $?"`))
	}
}

// inside makes the commands of a subshell or a loop; inLoop is the number of loops around them.
func (g *control) inside(depth, inLoop int) {
	outer := g.inLoop
	g.inLoop = inLoop
	g.block(depth)
	g.inLoop = outer
}

// exitTrap may set a trap for the end of the shell. In bash, a loop that is a part of a pipe does
// not run such a trap.
func (g *control) exitTrap() {
	if g.IntN(6) == 0 {
		g.line("trap %s EXIT", g.pick("'echo exit-$?'", "'echo exit-$?; exit 5; echo no'", "'(exit 3)'"))
	}
}

// tail returns what may follow a compound command.
func (g *control) tail() string {
	return g.pick("", "", "", " || echo "+g.mark(), " && echo "+g.mark(), g.toFile(), "; echo $?", " | cat")
}

func (g *control) choice(depth int) {
	g.line("case %s in", g.pick("a", "b", "$x", "ab"))
	for _, pattern := range []string{"a", "a*|b", "*"}[:1+g.IntN(3)] {
		g.line("%s)", pattern)
		g.block(depth)
		g.line("%s", g.pick(";;", ";;", ";;&", ";&"))
	}
	g.line("esac%s", g.tail())
}

func (g *control) loop(depth int) {
	g.counters++
	n, count := g.counters, 1+g.IntN(3)
	switch g.IntN(5) {
	case 0:
		g.line("c%d=0; while [ $((c%[1]d++)) -lt %d ]%s; do", n, count, g.pick("", " && "+g.pick("true", "echo "+g.mark(), "false"), "; "+g.pick("break", "[ $c"+fmt.Sprint(n)+" -lt 2 ]")))
	case 1:
		g.line("c%d=0; until [ $((c%[1]d++)) -ge %d ]; do", n, count)
	case 2:
		g.line("for ((i%d=0; i%[1]d<%d; i%[1]d++)); do", n, count)
	default:
		g.line("for v%d in %s; do", n, strings.Join([]string{"a", "b", "c"}[:count], " "))
	}
	g.inside(depth, g.inLoop+1)
	g.line("done%s", g.pick(g.tail(), g.tail(), " < /dev/null", g.toFile()))
}

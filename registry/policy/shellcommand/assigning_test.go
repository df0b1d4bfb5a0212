package shellcommand_test

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// assigning are scripts that set the variable NAME in every way that the shell has. If NAME is an
// ordinary variable, each script is read-only; if NAME decides what runs, each needs approval.
var assigning = []string{
	"NAME=1", "NAME+=1", "NAME[0]=1", "NAME=1 ls", "NAME=(1 2)", "NAME=([0]=1)",
	"read NAME", "read -r NAME", "read -r x NAME", "read -a NAME", "read -aNAME", "read -ra NAME", "read -raNAME",
	"read -rd x NAME", "read -u 3 NAME", "read -n 1 -t 2 NAME", "read -p x NAME", "read -- NAME", "read 'NAME'", "read NA''ME",
	"read 'NAME[0]'", "read 'x[NAME=1]'", "read 'x[NAME++]'", "echo x | read NAME", "read NAME < x", "builtin read NAME", "command read -a NAME",
	"wait -p NAME", "wait -n -p NAME", "wait -pNAME", "wait -npNAME", "wait -fn -p NAME", "wait -p 'NAME[0]'", "wait -p NAME $!", "builtin wait -p NAME",
	"printf -v NAME x", "printf -vNAME x", "printf -v 'NAME[0]' x", "printf -v 'x[NAME=1]' y", "printf -v NAME -- %s x", "printf 'a%n' NAME", "printf '%s%-5n' a NAME", "printf -- '%n' NAME",
	"mapfile NAME", "mapfile -t NAME", "mapfile -tn 3 NAME", "mapfile -d x -u 0 NAME", "readarray NAME", "readarray -t NAME", "mapfile -t NAME < x",
	"getopts ab NAME", "getopts ab NAME -a -b", "getopts -- ab NAME",
	"unset NAME", "unset x NAME", "unset -v NAME", "unset 'NAME[0]'", "unset -- NAME",
	"declare NAME=1", "declare -x NAME=1", "declare -i NAME=1", "declare -a NAME", "declare NAME", "typeset NAME=1", "typeset -l NAME",
	"export NAME=1", "readonly NAME=1", "f() { local NAME; }", "f() { local NAME=1; }", "f() { local -i NAME=1; }", "f() { declare NAME; }",
	"let NAME=1", "let 'NAME=1'", "let 'NAME = 1'", "let x=1 NAME=2", "let NAME++", "let ++NAME", "let 'NAME[0]=1'", "let 'x[NAME=1]=2'", "builtin let NAME=1", "builtin let 'NAME += 1'", "command let NAME--",
	"((NAME=1))", "((NAME++))", "((--NAME))", "((NAME+=1))", "((NAME<<=1))", "((NAME[0]=1))", "((x=NAME=1))", "((x[NAME=1]=2))", "echo $((NAME=1))", "echo $((NAME++))", "echo $((1 ? NAME=1 : 0))", "(( NAME = 1, 2 ))",
	"for ((NAME=1;NAME<3;NAME++)); do ls; done", "for ((;;NAME++)); do ls; done",
	"for NAME in 1 2; do ls; done", "for NAME; do ls; done", "select NAME in 1 2; do ls; done",
	"echo ${NAME:=x}", "echo ${NAME=x}", "echo ${NAME[0]:=x}", "echo ${x:NAME=1}", "echo ${x:1:NAME++}", "echo ${x[NAME=1]}", "x[NAME=1]=2",
	"[[ NAME=1 -eq 1 ]]", "[[ 1 -lt 'NAME=2' ]]", "[[ 'NAME++' -ge 2 ]]",
	"x='NAME=1'; echo $((x))", "x='NA''ME = 1'; ((x))", "for x in NAME=1; do ((x)); done", "f() { (($1)); }; f NAME=1", "set -- NAME=1; (($1))", "x=(NAME=1); echo ${y[x]}", "declare -i x='NAME=1'",
}

// steering are names that decide what runs.
var steering = []string{"PATH", "IFS", "ENV", "BASH_ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "PROMPT_COMMAND", "PS4", "CDPATH", "GIT_SSH_COMMAND", "SHELLOPTS", "GCONV_PATH"}

func TestAssigningNames(t *testing.T) {
	t.Parallel()
	for _, script := range assigning {
		for _, name := range steering {
			text := strings.ReplaceAll(strings.ReplaceAll(script, "NAME", name), "NA''ME", name[:2]+"''"+name[2:])
			if got := shellcommand.Classify(text, shellcommand.Settings{}); got.Effect != policy.Ask {
				t.Errorf("%q: %v, want ask: %s", text, got.Effect, got.Reason)
			}
		}
		text := strings.ReplaceAll(script, "NAME", "line")
		if got := shellcommand.Classify(text, shellcommand.Settings{}); got.Effect != policy.Allow || !got.ReadOnly {
			t.Errorf("%q: %v, want allow: %s", text, got.Effect, got.Reason)
		}
	}
}

// A command whose name is known only at run time, that runs its arguments, or that changes how the
// shell works needs approval. A command that only looks similar needs none.
func TestAssigningInOtherWays(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"read $x", "read \"$x\"", "read -a $x", "read $x y", "wait -p $x", "wait -p \"$x\"", "wait -n$x", "wait $x", "printf -v $x y", "printf \"$x\" y", "printf -- \"$x\" \"$y\"", "printf 'a%n' $x",
		"mapfile -C ls -c 1 x", "mapfile -t $x", "readarray -C 'rm x' y", "getopts ab $x", "unset $x", "unset -f f", "unset -n x", "let $x", "let \"$x=1\"", "(($x=1))", "((${x}++))", "echo $((${x}=1))",
		"read 'x[$(id)]'", "wait -p 'x[$(id)]'", "printf -v 'x[$(id)]' y", "mapfile 'x[$(id)]'", "let 'x[$(id)]=1'", "declare -n x=PATH", "f() { local -n x=$1; x=2; }",
		"coproc NAME { ls; }", "exec {fd}<x", "hash -p /x ls", "enable -f x y", "alias ls=x", "trap ls EXIT", "set -o posix", "shopt -s extglob", "bind -x x", "complete -C x y", ". x", "source x",
		"env -S 'PATH=x ls'", "env PATH=x ls", "env -u PATH ls", "env -uLD_PRELOAD ls", "env -iuPATH ls", "env --unset=PATH ls", "env --unset PATH ls", "time -o x ls", "command declare x=1",
		"let 'PATH[a[0]]=1'", "x='PATH[a[0]]=1'; echo $((x)); ls", "[[ 'PATH[a[0]]=1' -eq 1 ]]", "read 'x[PATH[a[0]]=1]'", "x='PATH [ 0 ] = 1'; ((x))",
		"declare +x $x", "declare \"$x\"", "export \"PATH=1\"", "read -X x", "wait -x", "[ -v \"$x\" ]", "test -v 'x[$(id)]'",
	} {
		if got := shellcommand.Classify(script, shellcommand.Settings{}); got.Effect != policy.Ask {
			t.Errorf("%q: %v, want ask: %s", script, got.Effect, got.Reason)
		}
	}
	for _, script := range []string{
		"wait", "wait $!", "wait -n", "wait %1", "wait 12", "wait -f 12", "read", "read -r -p 'PATH: ' x", "printf '%s\\n' PATH", "printf '%s %s' \"$x\" HOME", "printf '%s' $x", "printf '100%%n' PATH",
		"mapfile -t lines < x", "while getopts ab: o; do echo $o; done", "unset x y", "unset -v x", "[ PATH = $x ]", "test -n \"$PATH\"", "[[ $x == PATH=* ]]", "[[ $x = 'PATH=1' ]]", "echo PATH=1 $((1+2))", "x='PATH=1'; echo $x",
		"((PATH==1))", "echo $((PATHS=1))", "((x=1))", "((x++))", "i=0; while ((i++ < 3)); do ls; done", "[[ $x -eq 1 ]]", "printf -- \"$x\" y", "env -u x ls", "env LANG=C ls",
	} {
		if got := shellcommand.Classify(script, shellcommand.Settings{}); got.Effect != policy.Allow || !got.ReadOnly {
			t.Errorf("%q: %v, want allow: %s", script, got.Effect, got.Reason)
		}
	}
}

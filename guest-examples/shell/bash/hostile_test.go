package bash

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// callIn runs one call of the tool in a copy of testdata/tree.
func callIn(t *testing.T, args Args) (text string, isError bool, metadata map[string]any) {
	t.Helper()
	host := Host{Commands: commandTable(), Workspace: copyOfTree(t), Temp: t.TempDir()}
	result, err := Run(t.Context(), host, args)
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].Text, result.IsError, result.Metadata
}

// Each of these hostile scripts stops in time, reports why it was stopped, and does not panic.
func TestHostile(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		want    string
	}{
		"fork bomb":                   {`:(){ :|:& };:`, ""},
		"fork bomb with waiting":      {`f() { f | f; }; f`, "the script was stopped: it"},
		"many jobs":                   {`for i in {1..5000}; do sleep 50 & done; wait`, "too many background jobs"},
		"function that calls itself":  {`f() { f; }; f`, "nested too deeply"},
		"functions in a circle":       {`a() { b; }; b() { x=$(a); }; a`, "the script was stopped: it"},
		"script that runs itself":     {`echo 'sh self.sh' > self.sh; sh self.sh`, "nested too deeply"},
		"script that sources itself":  {`echo '. ./self.sh' > self.sh; . ./self.sh`, "nested too deeply"},
		"eval of eval":                {`x='eval "$x"'; eval "$x"`, "nested too deeply"},
		"nested subshells":            {strings.Repeat("(", 100_000), "nested too deeply"},
		"nested substitutions":        {strings.Repeat("echo $(", 100_000), "nested too deeply"},
		"nested arithmetic":           {"echo $((" + strings.Repeat("(", 100_000), "nested too deeply"},
		"nested blocks in eval":       {"x=$(printf '(%.0s' {1..9999}); x=$x$x$x$x$x$x$x$x; eval \"$x\"", "nested too deeply"},
		"output without end":          {`while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy{1..2000}; done`, "wrote more than 8 MiB"},
		"huge brace expansion":        {`echo {1..1000000000}; echo after`, "brace expansion would exceed"},
		"product of brace expansions": {`echo {1..1000}{1..1000}{1..1000}`, "brace expansion would exceed"},
		"shift too far":               {`echo $((1<<99999)) $((1>>99999)); echo done`, "done"},
		"power":                       {`echo $((2**99999999)); echo done`, "done"},
		"division by zero":            {`echo $((1/0)); echo $((1%0))`, "division by zero"},
		"smallest by minus one":       {`echo $(( -9223372036854775807 - 1 )); x=$(( (-9223372036854775807-1) / -1 )); echo done`, "done"},
		"variable that is itself":     {"a=a; echo $((a))\nb=c; c=b; echo $((b))\necho done", "recursion level exceeded"},
		"name that points to itself":  {`declare -n r=r; echo $r; echo done`, "done"},
		"assignment to a number":      {`((5++))`, "must follow a name"},
		"assignment to an expression": {`echo $(((a+b)=3))`, "must follow a name"},
		"assignment to an expansion":  {`x=5; echo $(($x++)); echo done`, "syntax error"},
		"deep arithmetic in a value":  {`x=$(printf '(%.0s' {1..9999}); echo $((x)); echo done`, "recursion level exceeded"},
		"signs in a value":            {`x=$(printf -- '- %.0s' {1..9999}); echo $((x)); echo done`, "recursion level exceeded"},
		"subscripts in a value":       {`x=$(printf 'a[%.0s' {1..9999}); echo $((x)); echo done`, "bad array subscript"},
		"element that is itself":      {`a[0]='a[a[0]]'; echo $((a[0])); echo done`, "recursion level exceeded"},
		"groups in a pattern":         {`shopt -s extglob; p=$(printf '@(%.0s' {1..9999}); q=${p//@/}; echo ${x##$p${q//?/)}}; [[ x == $p${q//?/)} ]] || echo done`, "done"},
		"groups that repeat":          {`shopt -s extglob; x=$(printf 'a%.0s' {1..5000}); [[ $x == +(+(+(a|aa)|a)|*(a))b ]] || echo done`, "done"},
		"groups that exclude":         {`shopt -s extglob; x=$(printf "a%.0s" {1..5000}); [[ $x == !(!(!(!(*a)*a)*a)*a) ]]; echo done`, "done"},
		"replacements of groups":      {`shopt -s extglob; x=$(printf 'a%.0s' {1..50000}); y=${x//+(a|b)c/-}; echo ${#y} done`, "done"},
		"read without input":          {`read x <&-; echo "status $?"`, "status 1"},
		"mapfile without input":       {`mapfile l <&-; echo "count ${#l[@]}"`, "count 0"},
		"wide field":                  {`printf '%999999999d' 1`, "a width or precision is larger than the limit of 65536"},
		"wide field by argument":      {`printf '%*s' 99999999999 x`, "a width or precision is larger than the limit of 65536"},
		"high precision":              {`printf '%.999999999f' 1`, "a width or precision is larger than the limit of 65536"},
		"directive that is none":      {`printf '%y %' x`, "invalid format character"},
		"indirection to nothing":      {`x=; echo ${!x}; echo done`, "invalid variable name"},
		"names that are empty":        {`x=; [[ -v $x ]] || [ -v "$x" ] || unset "$x"; declare -n r=$x; echo "$r" | cat; test -R "" | cat; let "" | cat; echo done`, "done"},
		"trap that is wrong":          {`trap '((1+))' EXIT; echo done`, "must be followed by"},
		"NUL in the script":           {"echo a\x00b; echo done", "done"},
		"no UTF-8":                    {"printf 'a\\xff\\xfeb\\n'", "a\uFFFDb"},
		"unended quote":               {`echo "abc`, "without closing quote"},
		"unended here-document":       {"cat <<E\nabc\n", "unclosed here-document"},
		"negative substring":          {`x=abc; echo ${x:1:-9}`, "substring expression < 0"},
		"array with a far index":      {`a[999999999999]=x; echo ${#a[@]}`, "1"},
		"waiting for itself":          {`wait $$; echo "status $?"`, "status"},
		"jobs of others":              {`kill -9 1`, "there are no processes to signal"},
		"directory as input":          {`cat < sub; echo "status $?"`, "status 1"},
		"directory as output":         {`echo x > sub; echo "status $?"`, "Is a directory"},
		"device that is none":         {`echo x > /dev/tcp/127.0.0.1/80; cat < /dev/sda; echo done`, "No such file or directory"},
		"pattern of many stars":       {`[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa == *a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b ]]; echo "status $?"`, "status 1"},
		"regular expression":          {`[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa =~ ^(a+)+(a+)+$x!$ ]]; echo "status $?"`, "status 1"},
		"regular expression, wrong":   {`re='('; [[ x =~ $re ]]; echo "status $?"`, "status 2"},
		"long word":                   {"echo " + strings.Repeat("x", 500_000) + " | wc -c", "500001"},
		"exec of output substitution": {`exec > >(cat)`, "is not supported"},
		"open quote in an expansion":  {`echo no; echo "${x-it's}"`, `write it as "${x-"it's"}"`},
		"coprocess":                   {`echo no; coproc cat`, "coproc is not supported"},
		"exported function":           {`echo no; f() { :; }; export -f f`, "functions can't be exported"},
		"trap that never runs":        {`echo no; trap 'echo x' DEBUG`, "a trap for DEBUG is not supported"},
		"endless substitution":        {`echo before; x=$(yes)`, "too much memory"},
		"no file for the shell":       {`bash /etc/no-such; bash sub; echo "status $?"`, "status 127"},
	} {
		t.Run(name, func(t *testing.T) {
			// Do not run in parallel: a fork bomb would use up the goroutines of all tests.
			begun := time.Now()
			text, _, _ := callIn(t, Args{Command: test.command, TimeoutMS: 20_000})
			if !strings.Contains(text, test.want) {
				t.Errorf("after %s: got %.600q, want a text with %q", time.Since(begun), text, test.want)
			}
			for _, never := range []string{"goroutine ", "panic", "runtime error", "nil pointer", "stopped after"} {
				if strings.Contains(text, never) {
					t.Errorf("the text has %q: %.600q", never, text)
				}
			}
		})
	}
}

// Endless scripts stop at their time limit and return their output. The test uses a fake clock.
func TestEndlessScriptsStopAtTheTimeLimit(t *testing.T) {
	for name, command := range map[string]string{
		"sleep":                  `echo begun; sleep 1000; echo never`,
		"loop that sleeps":       `echo begun; while :; do sleep 1; done`,
		"background":             `echo begun; sleep 1000 & wait`,
		"background left behind": `echo begun; sleep 1000 &`,
		"child":                  `echo begun; sh -c 'sleep 1000; echo never'`,
		"trap":                   `trap 'sleep 1000' EXIT; echo begun`,
	} {
		t.Run(name, func(t *testing.T) {
			dir, temp := copyOfTree(t), t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				result, err := Run(t.Context(), Host{Commands: commandTable(), Workspace: dir, Temp: temp}, Args{Command: command, TimeoutMS: 3000})
				if err != nil {
					t.Fatal(err)
				}
				text := result.Content[0].Text
				if !strings.HasPrefix(text, "begun\nstopped after 3s") || strings.Contains(text, "never") || !result.IsError {
					t.Errorf("got %q", text)
				}
				if result.Metadata["exit_code"] != statusStopped || result.Metadata["timed_out"] != true {
					t.Errorf("got %v", result.Metadata)
				}
				if took := time.Since(begun); took > 4*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// A script that would run out of memory is stopped before, and keeps its output.
func TestTooMuchMemory(t *testing.T) {
	host := Host{Commands: commandTable(), Workspace: t.TempDir(), Temp: t.TempDir(), MaxHeap: heap() + 64<<20}
	result, err := Run(t.Context(), host, Args{Command: `echo before; x=abcdefgh; while :; do x=$x$x; done`})
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].Text; !result.IsError || !strings.HasPrefix(text, "before\n") || !strings.Contains(text, "too much memory") {
		t.Errorf("got %q", text)
	}
}

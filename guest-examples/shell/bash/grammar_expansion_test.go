package bash

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Expansions of words give the same fields as with the system's bash. Bash 5.2 itself loses fields
// next to empty quotes in one script of about 1,500. The long test ends before the first such
// script.
func TestGeneratedExpansions(t *testing.T) {
	compareGenerated(t, 300, 1_200, expansions)
}

// Arithmetic gives the same values as with the system's bash.
func TestGeneratedArithmetic(t *testing.T) {
	compareGenerated(t, 300, 3_000, arithmetic)
}

// Arrays and attributes of variables are the same as with the system's bash.
func TestGeneratedArrays(t *testing.T) {
	compareGenerated(t, 300, 3_000, arrays)
}

// Words with braces give the same fields as with the system's bash.
func TestGeneratedBraces(t *testing.T) {
	compareGenerated(t, 100, 2_000, braces)
}

// The command [ gives the same status as in the system's bash, whatever its operands look like.
func TestGeneratedTests(t *testing.T) {
	compareGenerated(t, 100, 2_000, conditions)
}

// showFields defines the function f, which prints its arguments as fields.
const showFields = "f() { printf '<%s>' \"$@\"; echo \" $#\"; }\n"

// words makes random words. depth limits the nesting.
type words struct {
	*rand.Rand
	depth int
}

func (w words) one(options ...string) string { return options[w.IntN(len(options))] }

func (w words) deeper() words { return words{w.Rand, w.depth - 1} }

// value is a quoted value of a variable.
func (w words) value() string {
	return w.one("''", "a", "'a b'", "' a  b '", "a:b", "a::b:", "'a : b '", "'*'", "'a*b'", "abcabc", "'foo.tar.gz'",
		"/usr/lib/x", "'x y:z'", "$'a\\tb\\n'", "'a\\b'", "\"it's\"", "'\"q\"'", "aXbXc", "Hello", "'~'", "'[ab]'", "'a&b'", "12", "'$y'")
}

func (w words) ifs() string {
	return w.one("unset IFS", "IFS=:", "IFS=' :'", "IFS=b", "IFS=$' \\t\\n'", "IFS=',: '", "IFS=:/")
}

// parameter is a name that an expansion can have.
func (w words) parameter() string {
	return w.one("x", "y", "z", "e", "unset", "1", "2", "3", "@", "*", "a[0]", "a[1]", "a[@]", "a[*]", "none[@]", "none[*]", "a[-1]", "a")
}

func (w words) pattern() string {
	p := w.simplePattern()
	if w.IntN(3) == 0 {
		return w.one("?", "*", "+", "@", "!") + "(" + p + w.one("", "|b", "|ab|c", "|'*'", "|$y", "|+(a|b)") + ")" + w.one("", "", "c", "*")
	}
	return p
}

// simplePattern is a pattern without groups.
func (w words) simplePattern() string {
	p := w.one("a", "b", "*", "?", "a*", "*b", "[ab]", "[!a]", "*:", "b*", "'*'", "\"$y\"", "$y", "\\*", ".", "*.", "/*", "X", "[[:alpha:]]", "\"a\"b", "' '", "[a-c]?", "$z", "~")
	if w.IntN(3) == 0 {
		p += w.one("b", "*", "?", "'c'", "\"$x\"", "c*")
	}
	return p
}

func (w words) expansion(quoted bool) string {
	p := w.parameter()
	if quoted || w.depth < 2 {
		p = w.scalar() // bash joins and splits lists in the words of expansions in its own way
	}
	number := func() string {
		if strings.ContainsAny(p, "@*") {
			return w.one("1", "2", "1+1", "9") // 0 and negative numbers may reach $0
		}
		return w.one("0", "1", "2", " -1", " -2", "1+1", "9", "${#x}")
	}
	switch w.IntN(11) {
	case 0, 1:
		if strings.Contains(p, "[") || len(p) > 1 {
			return "${" + p + "}"
		}
		return "$" + p
	case 2, 3:
		operand := w.operand(quoted)
		if strings.ContainsAny(p, "@*") {
			operand = w.one("", "v", "'d e'", "\"$x\"")
		}
		return "${" + p + w.one("-", ":-", "+", ":+", ":-", ":+") + operand + "}"
	case 4, 5:
		return "${" + p + w.one("#", "##", "%", "%%") + w.pattern() + "}"
	case 6, 7:
		// In bash 5.2, a group may match differently at the beginning or the end.
		anchored := w.one("/#", "/%") + w.simplePattern()
		return "${" + p + w.one(anchored, w.one("/", "//")+w.pattern()) + w.one("", "/", "/-", "/<&>", "/\\&", "/'&'", "/\"$y\"", "/$z", "/a b", "/\"a b\"") + "}"
	case 8:
		return "${" + p + ":" + number() + w.one("", "", ":"+number()) + "}"
	case 9:
		if !quoted && w.depth == 2 && w.IntN(3) == 0 {
			return w.one("${!refa}", "${!a[@]}", "${!none[@]}")
		}
		return w.one("${#x}", "${#a[@]}", "${#@}", "${#a[1]}", "${!ref}", "${!ref2}", "${!refn:-d}", "${!ref#a}")
	}
	return "${" + p + w.one("^", "^^", ",", ",,", "^^[ab]", "@Q", "@U", "@u", "@L") + "}"
}

func (w words) operand(quoted bool) string {
	if w.depth <= 0 {
		return w.one("", "x", "d e")
	}
	if !quoted && w.IntN(6) == 0 {
		return "\"" + w.one("$@", "${a[@]}", "${none[@]}") + "\""
	}
	var b strings.Builder
	for range 1 + w.IntN(2) {
		b.WriteString(w.deeper().part(quoted, true))
	}
	return b.String()
}

// part is a part of a word. An operand is the word in an expansion.
func (w words) part(quoted, operand bool) string {
	if quoted {
		switch w.IntN(6) {
		case 0:
			return w.one("q", "q r", " ", "'s'", "\\$x", "\\\\", "\\\"", "\\a", "*", "~")
		case 1:
			return w.one("$((1+2))", "$(echo 'p  q')", "`echo \"r\"`", "$(f $x)", "$(echo \"$y\")")
		case 2:
			if operand {
				return "\"" + w.deeper().inner() + "\""
			}
		}
		return w.expansion(true)
	}
	switch w.IntN(7) {
	case 0:
		return w.one("w", "w:v", "'s  t'", "\\ ", "\\*", "\\$", "''", "\"\"", "w-", "$'t\\tu'", "''w")
	case 1:
		return w.one("$((10+2))", "$(echo 'p  q:r')", "`echo b c`", "$(printf '%s\\n' \"$x\")")
	case 2, 3:
		return "\"" + w.deeper().inner() + "\""
	case 4:
		if operand {
			return w.one("m n", "'o  p' q", "a:b c")
		}
	}
	return w.expansion(false)
}

// inner is the text between double quotes. A list is the only expansion there, because bash 5.2
// drops some empty expansions next to a list.
func (w words) inner() string {
	if w.depth > 0 && w.IntN(4) == 0 {
		return w.one("", "", "q", "q ") + "${" + w.one("@", "a[@]", "none[@]", "*", "a[*]", "none[*]") +
			w.one("", "", "#"+w.pattern(), "/"+w.pattern()+"/-", "^^", ":1", ":1:1", "@Q", ":-"+w.operand(true), "+"+w.operand(true)) + "}" + w.one("", "", "r", " r")
	}
	var b strings.Builder
	for range w.IntN(3) {
		b.WriteString(w.part(true, false))
	}
	return b.String()
}

// scalar is a parameter that is not a list.
func (w words) scalar() string {
	for {
		if p := w.parameter(); !strings.ContainsAny(p, "@*") {
			return p
		}
	}
}

func (w words) word() string {
	var b strings.Builder
	for range 1 + w.IntN(3) {
		b.WriteString(w.part(false, false))
	}
	return b.String()
}

func expansions(r *rand.Rand) string {
	w := words{r, 2}
	var b strings.Builder
	b.WriteString("BASH_ARGV0=bash\nshopt -s extglob\nset -f\nHOME=/home/me\n" + showFields)
	fmt.Fprintf(&b, "x=%s y=%s z=%s e= n=1\n", w.value(), w.value(), w.value())
	fmt.Fprintf(&b, "a=(%s %s %s)\nref=x ref2='a[1]' refa='a[@]' refn=unset\nset -- %s\n", w.value(), w.value(), w.value(),
		w.one("", w.value(), w.value()+" "+w.value(), "'' "+w.value()+" ''"))
	b.WriteString(w.ifs() + "\n")
	for range 4 {
		switch w.IntN(8) {
		case 0:
			fmt.Fprintf(&b, "unset IFS; v=%s; printf '[%%s]\\n' \"$v\"\n", w.word())
		case 1:
			fmt.Fprintf(&b, "case %s in %s) echo match;; *) echo none;; esac\n", w.deeper().word(), w.pattern())
		case 2:
			fmt.Fprintf(&b, "[[ %s == %s ]]; echo $?\n", w.deeper().word(), w.pattern())
		case 3:
			fmt.Fprintf(&b, "unset IFS; cat <<END\n%s|%s\nEND\n", w.part(true, false), w.part(true, false))
		case 4:
			fmt.Fprintf(&b, "for i in %s %s; do printf '(%%s)' \"$i\"; done; echo\n", w.word(), w.word())
		default:
			fmt.Fprintf(&b, "f %s %s\n", w.word(), w.word())
		}
	}
	return b.String()
}

// braces makes words of braces and of what has a meaning between them.
func braces(r *rand.Rand) string {
	w := words{r, 0}
	var b strings.Builder
	b.WriteString("set -f; x=X xa=XA x1=X1\n" + showFields)
	for range 10 {
		b.WriteString("f ")
		for range 2 + w.IntN(8) {
			b.WriteString(w.one("{", "{", "}", "}", ",", ",", "..", ".", "a", "b", "1", "3", "0", "-2", `"q"`, `"{"`, "$x", "${x}", `\,`, `\{`, `\}`, "{a,b}", "{1..3}"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// conditions makes commands [ of operators and strings in any order.
func conditions(r *rand.Rand) string {
	w := words{r, 0}
	var b strings.Builder
	b.WriteString("touch file\n")
	for range 10 {
		b.WriteString("[")
		for range w.IntN(8) {
			b.WriteString(" " + w.one("a", "b", "''", "-a", "-o", "!", "'('", "')'", "=", "!=", "==", "'<'", "-f", "-e", "-d", "-z", "-n", "-v", "-q", "-eq", "-lt", "1", "2", "file", "'*'", "'a b'", `'\\'`))
		}
		b.WriteString(" ]; echo $?\n")
	}
	return b.String()
}

// arithmetic makes scripts with expressions.
func arithmetic(r *rand.Rand) string {
	w := words{r, 3}
	var b strings.Builder
	fmt.Fprintf(&b, "x=%s y=%s z=%s op='%s' a=(3 1 %s) name=x i=1\n", w.one("5", "-3", "'2+1'", "'y'", "010", "''"), w.one("2", "7", "0x10", "'1 '"),
		w.one("'x+1'", "9", "'a[1]'", "-1"), w.one("+", "*", "-", "<<", "=="), w.one("4", "x", "'1+1'"))
	b.WriteString("declare -A m=([k]=4 [two words]=6)\n")
	for range 4 {
		switch w.IntN(8) {
		case 0:
			fmt.Fprintf(&b, "((%s)); echo $? $x $y\n", w.expression())
		case 1:
			fmt.Fprintf(&b, "let \"v = %s\"; echo $? $v $x\n", w.expression())
		case 2:
			fmt.Fprintf(&b, "a[%s]=%s; echo ${!a[@]} ${a[@]} $x\n", w.index(), w.one("n", "8"))
		case 3:
			fmt.Fprintf(&b, "for ((i=0; i<3 && (%s) > 0; i++)); do echo $i; done\n", w.expression())
		case 4:
			b.WriteString("s=abcdefgh; echo ${s:(" + w.expression() + ") & 3:2} ${a[" + w.index() + "]}\n")
		default:
			fmt.Fprintf(&b, "echo $((%s)) $x $y\n", w.expression())
		}
	}
	return b.String()
}

func (w words) operandOfExpression() string {
	return w.one("x", "y", "z", "1", "2", "7", "0", "017", "0x1f", "2#101", "36#z", "$x", "${y}", "$z", "a[0]", "a["+w.index()+"]", "${a[2]}", "m[k]", "m[two words]",
		"$(echo 3)", "unset", "${#x}", "$((y))", "x++", "++y", "x--", "--y", "$name", "${unset:-4}", "1 $op 2", "a[1]++", "m[k]++")
}

// index is an expression for a subscript. It contains no error, since an error there ends bash -c.
// It contains no other subscript, since bash 5.2 does not read one in (( )).
func (w words) index() string {
	return w.one("0", "1", "i", "i+1", "i++ & 3", "$((i))", "++i&1", "(i = 2)", "i ? 0 : 2")
}

func (w words) expression() string {
	if w.depth <= 0 {
		return w.operandOfExpression()
	}
	d := w.deeper()
	space := w.one("", " ")
	switch w.IntN(9) { // an assignment is in parentheses, as it needs a name on its left
	case 0:
		return "(" + d.expression() + ")"
	case 1:
		return w.one("- ", "+ ", "!", "~") + w.operandOfExpression()
	case 2:
		return d.expression() + space + "?" + space + d.expression() + space + ":" + space + d.expression()
	case 3:
		return "(" + w.one("x", "y", "a[1]", "a["+w.index()+"]", "m[k]", "m[k$x]") + space + w.one("=", "+=", "-=", "*=", "|=", "&=", "^=") + space + d.expression() + ")"
	case 4:
		return w.operandOfExpression()
	}
	return d.expression() + " " + w.one("+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", ",", "/", "%", "<<", ">>") + " " + d.expression()
}

// arrays makes scripts that declare and change arrays.
func arrays(r *rand.Rand) string {
	w := words{r, 2}
	var b strings.Builder
	b.WriteString(showFields)
	b.WriteString("show() { f \"${a[@]}\"; f \"${!a[@]}\"; echo \"${#a[@]} ${a[*]} $n $u $l $s\"; for k in \"${!m[@]}\"; do printf '%s=%s;' \"$k\" \"${m[$k]}\"; done; echo ${#m[@]}; }\n")
	fmt.Fprintf(&b, "declare -A m; declare -i n=%s; declare -u u=aB; declare -l l=aB; i=1 k='two words'\n", w.one("1", "2+3", "i"))
	index := func() string { return w.one("0", "1", "i", "i+1", "$i", "-1", "5", "${#a[@]}") }
	key := func() string {
		return w.one("k", "$k", "\"$k\"", "two words", "'two words'", "a-b", "1,2", "$i,$i", "x.y", "\"]\"")
	}
	text := func() string { return w.one("v", "'p q'", "$i", "\"$k\"", "", "2*3", "'*'", "AbC") }
	for range 6 {
		name := w.one("n", "u", "l", "s")
		value := text
		if name == "n" {
			value = func() string { return w.one("7", "i+1", "$i", "''", "2*3", "\"i + 2\"", "unset") }
		}
		switch w.IntN(16) {
		case 0:
			fmt.Fprintf(&b, "a=(%s %s %s)\n", value(), value(), value())
		case 1:
			fmt.Fprintf(&b, "a+=(%s [%s]=%s)\n", value(), index(), value())
		case 2:
			fmt.Fprintf(&b, "a[%s]%s%s\n", index(), w.one("=", "+="), value())
		case 3:
			fmt.Fprintf(&b, "m[%s]%s%s\n", key(), w.one("=", "+="), value())
		case 4:
			fmt.Fprintf(&b, "m%s([%s]=%s [%s]=%s)\n", w.one("=", "+="), key(), value(), key(), value())
		case 5:
			fmt.Fprintf(&b, "unset 'a[%s]'\n", index())
		case 6:
			fmt.Fprintf(&b, "unset 'm[%s]'\n", w.one("k", "two words", "$k", "a-b", "1,2"))
		case 7:
			fmt.Fprintf(&b, "%s%s%s\n", name, w.one("=", "+="), value())
		case 8:
			fmt.Fprintf(&b, "for %s in %s %s; do echo \"$n$u$l$s\"; done\n", name, value(), value())
		case 9:
			fmt.Fprintf(&b, "f \"${a[@]:%s:%s}\" \"${a[@]/%s/-}\" ${a[*]#%s}\n", w.one("0", "1", " -1", "2"), w.one("0", "1", "2"), w.pattern(), w.one("v", "?", "p"))
		case 10:
			fmt.Fprintf(&b, "g() { local %s%s; declare %s=%s; show; }; g\n", w.one("", "-a ", "-u "), w.one("a", "s=1", "n=4+1", "u", "l=$i"), name, value())
		case 11:
			fmt.Fprintf(&b, "declare %s\n", w.one("+u u", "-i t=1+1", "-a s", "-u s", "-l u", "-x s", "-r q=1", "-ai b=(1+1 2)", "-A m"))
		case 12:
			b.WriteString(w.one("declare -p n u l s a 2>/dev/null", "declare -p m", "echo ${a@Q} \"${a[@]@Q}\"", "echo ${a[@]@A}", "echo ${n@a} ${u@a} ${m@a}", "echo \"${a[@]@K}\"") + "\n")
		case 13:
			fmt.Fprintf(&b, "[[ -v a[%s] ]]; echo $?; [[ -v m[k] ]]; echo $?; test -v s; echo $?\n", w.one("0", "1", "i"))
		case 14:
			fmt.Fprintf(&b, "read -ra a <<< %s; read -r n s <<< %s\n", w.one("'x y z'", "\"$k\"", "''"), w.one("'1+1 3'", "''", "7"))
		case 15:
			fmt.Fprintf(&b, "declare -n ref=%s; ref%s%s; unset -n ref\n", name, w.one("=", "+="), value())
		}
		if w.IntN(2) == 0 {
			b.WriteString("show\n")
		}
	}
	b.WriteString("show\n")
	return b.String()
}

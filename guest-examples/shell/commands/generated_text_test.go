package commands

import (
	"fmt"
	"strings"
)

// textGenerators returns the generators of commands that read text.
func textGenerators() map[string]func(choice) generatedLine {
	return map[string]func(choice) generatedLine{
		"sed": generateSed, "sort": generateSort, "tr": generateTr, "cut": generateCut, "expr": generateExpr, "test": generateTest, "uniq": generateUniq,
		"comm": generateComm, "od": generateOd, "awk": generateAwk, "lines": generateLines, "printf": generatePrintf,
	}
}

func (c choice) words() []string {
	return []string{"a", "b", "ab", "B", "cab", "10", "9", "-3", "2.5", "007", "x y", "", "Z", "a.b", "1K", "2M", "Jan", "feb", "v1.10", "v1.9", "é", "a-b", "0x1f", "+4"}
}

func generateSed(c choice) generatedLine {
	address := func() string {
		return c.of("", "", "1", "2", "$", "/a/", "/b/I", "2,4", "/a/,/b/", "2,+1", "1~2", "0~3", "2,~4", "/a/,3", "0,/a/", "3,1", "$!", "2!", "/^$/", "1,/b/!")
	}
	command := func() string {
		return address() + c.of("p", "d", "s/a/X/", "s/[a-c]*/<&>/g", "s/\\(.\\)\\(.\\)/\\2\\1/2", "s/b/\\U&x/", "y/abc/xyz/", "n", "N", "D", "P", "G", "H", "h", "g", "x", "=", "q", "Q", "l", "l 5", "z",
			"a\\\nnew\\ntext", "i\\  text", "c\\changed", "a text", "s/$/\\n!/", "s/\\n/+/g", "s/a\\|b/_/gp", "s/x*/-/3", "{p;d}", "{s/a/b/;t;s/b/c/}", "b end", "T", "F", "s/a/b/w /dev/stdout", "W /dev/stdout")
	}
	script := strings.Join(append(c.some(0, 3, command()), command(), command()), "\n")
	if strings.Contains(script, "b end") {
		script += "\n:end"
	}
	words := append([]string{"sed"}, c.some(0, 1, "-n", "-s", "-E")...)
	return generatedLine{words: append(words, script), stdin: c.text(6, c.words()...)}
}

func generateSort(c choice) generatedLine {
	words := append([]string{"sort"}, c.some(0, 3, "-n", "-r", "-u", "-f", "-b", "-s", "-g", "-h", "-M", "-V", "-d", "-i")...)
	if c.IntN(2) == 0 {
		words = append(words, c.of("-t:", "-t ", "-s"), "-k"+c.of("1", "2", "2,2", "1.2", "2.1,2.2", "1,1n", "2nr", "2b,2", "1.2b,1.3b", "3,1", "2,2V", "1f,1"))
		words = append(words, c.some(0, 1, "-k1,1r", "-k2n")...)
	}
	if c.IntN(8) == 0 {
		words = append(words, c.of("-c", "-C"))
	}
	return generatedLine{words: words, stdin: c.text(8, c.words()...)}
}

func generateTr(c choice) generatedLine {
	set := func() string {
		return c.of("a", "abc", "a-c", "[:lower:]", "[:upper:]", "[:digit:]", "[:space:]", "\\n", "0-9", "[a*2]", "[x*]", "\\101", "a-", "-a", "z-x", "[:alpha:]b", "\\\\", "A-Z", "[=a=]")
	}
	words := append([]string{"tr"}, c.some(0, 2, "-d", "-s", "-c", "-t", "-C")...)
	words = append(words, set())
	if c.IntN(3) > 0 {
		words = append(words, set())
	}
	return generatedLine{words: words, stdin: c.text(4, c.words()...)}
}

func generateCut(c choice) generatedLine {
	list := c.of("1", "2", "1,3", "2-", "-2", "2-3", "3-1", "0", "1-2,2-4", "5", "a", "-", "1 2", ",1")
	words := []string{"cut", c.of("-b", "-c", "-f", "-f", "-f") + list}
	words = append(words, c.some(0, 2, "-d:", "-d ", "-s", "--complement", "--output-delimiter=++", "-z")...)
	return generatedLine{words: words, stdin: c.text(5, c.words()...)}
}

func generateExpr(c choice) generatedLine {
	value := func() string { return c.of("1", "0", "-5", "12", "abc", "", "a", "007", "3", "length", "+", "10") }
	words := []string{"expr", value()}
	for range c.IntN(4) {
		words = append(words, c.of("+", "-", "*", "/", "%", "<", "<=", "=", "!=", ">", "|", "&", ":"), c.of(value(), value(), "a\\(b\\)", ".*", "[0-9]*"))
	}
	switch c.IntN(6) {
	case 0:
		words = []string{"expr", "substr", value(), c.number(3), c.number(4)}
	case 1:
		words = []string{"expr", "index", value(), value()}
	case 2:
		words = append([]string{"expr", "("}, append(words[1:], ")", c.of("+", "=", "|"), value())...)
	case 3:
		words = []string{"expr", c.of("length", "match"), value(), c.of(value(), "a.*", "\\(.\\)")}
	}
	return generatedLine{words: words}
}

func generateTest(c choice) generatedLine {
	value := func() string {
		return c.of("1", " 2 ", "-3", "a", "", "x y", "words", "d", "empty", "99999999999999999999", "+4", "0x1", "007")
	}
	primary := func() []string {
		switch c.IntN(4) {
		case 0:
			return []string{value()}
		case 1:
			return []string{c.of("-n", "-z", "-e", "-f", "-d", "-s", "-r", "-h"), value()}
		}
		return []string{value(), c.of("=", "!=", "==", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ef"), value()}
	}
	words := primary()
	for range c.IntN(3) {
		words = append(append(words, c.of("-a", "-o")), primary()...)
	}
	if c.IntN(4) == 0 {
		words = append([]string{"!"}, words...)
	}
	if c.IntN(5) == 0 {
		words = append(append([]string{"("}, words...), ")")
	}
	if c.IntN(2) == 0 {
		return generatedLine{words: append([]string{"test"}, words...)}
	}
	return generatedLine{words: append(append([]string{"["}, words...), "]")}
}

func generateUniq(c choice) generatedLine {
	words := append([]string{"uniq"}, c.some(0, 3, "-c", "-d", "-u", "-i", "-f1", "-s1", "-w2", "-f2", "-z")...)
	return generatedLine{words: words, stdin: c.text(8, "a", "A", "a b", "b", "")}
}

func generateComm(c choice) generatedLine {
	if c.IntN(2) == 0 {
		words := append([]string{"comm"}, c.some(0, 2, "-1", "-2", "-3", "-12", "--total", "--output-delimiter=;", "--check-order", "--nocheck-order")...)
		return generatedLine{words: append(words, c.of("-", "left", "repeat"), c.of("right", "left", "words"))}
	}
	words := append([]string{"join"}, c.some(0, 2, "-a1", "-a2", "-v1", "-i", "-e.", "-o0,1.2,2.1", "-t:", "-11", "--check-order", "--nocheck-order", "-j1")...)
	return generatedLine{words: append(words, c.of("-", "left", "repeat"), c.of("right", "left", "words")), stdin: c.of("", "apple\n", "apple 1\nbanana 2\n", "b\nb\nc\n", "cherry x\n")}
}

func generateOd(c choice) generatedLine {
	words := []string{"od"}
	for range c.IntN(3) {
		words = append(words, "-t"+c.of("x1", "x2", "x4", "x8", "o1", "o2", "d1", "d2", "d4", "u1", "u4", "c", "a", "x1z", "cz", "o4z", "d8", "u2z", "xS", "dL"))
	}
	words = append(words, c.some(0, 2, "-An", "-Ad", "-Ax", "-v", "-w8", "-w", "-N5", "-j3", "-c", "-x", "-b", "-w24")...)
	return generatedLine{words: append(words, c.of("bytes", "words", "utf8", "empty", "tabs", "-")), stdin: strings.Repeat(c.of("\x00", "ab", "\xff\x01"), c.IntN(40))}
}

func generateAwk(c choice) generatedLine {
	value := func() string {
		return c.of("$1", "$2", "$NF", "NR", "NF", "\"x\"", "3", "0.1", "1e6", "length($1)", "substr($0, 2, 3)", "$1 + 1", "toupper($1)", "index($0, \"b\")", "-$1", "$1 $2", "(NR % 2)", "x++", "int($1)", "\"10\" + 0", "2 ^ 10", "1 / 3")
	}
	body := c.of("print "+value(), "print "+value()+", "+value(), "printf \"%s|%5d|%-4s|%.2f\\n\", "+value()+", "+value()+", "+value()+", "+value(), "gsub(/[ab]/, \"<&>\"); print", "n = split($0, p, \":\"); print n, p[1]",
		"s[$1]++; print s[$1]", "$2 = \"N\"; print; print NF", "sub(/a*/, \"_\"); print", "print match($0, /b+/), RSTART, RLENGTH", "if ("+value()+" > "+value()+") print \"y\"; else print \"n\"", "print substr($0, 0, 2) \"|\" substr($0, -1)",
		"printf \"%c%c\", 65, \"hello\"; print \"\"", "print length()", "print tolower($0) > \"/dev/stdout\"", "NF = 2; print", "print sprintf(\"%05.1f %x %o %e\", 3.14159, 255, 8, 12345.678)")
	pattern := c.of("", "", "NR > 1", "/a/", "$1 == 10", "NR == 1, /b/", "!/a/", "END", "NF", "$1 ~ /^[0-9]+$/", "BEGIN { OFS = \"-\" }")
	words := append([]string{"awk"}, c.some(0, 1, "-F:", "-F[:.]", "-vx=5", "-vOFS=,")...)
	program := pattern + " { " + body + " }"
	if strings.HasPrefix(pattern, "BEGIN") {
		program = pattern + "\n{ " + body + " }"
	}
	return generatedLine{words: append(words, program), stdin: c.text(5, "a", "b", "ab", "10", "9", "-3", "2.5", "abba", "c:d", "0")}
}

func generateLines(c choice) generatedLine {
	text := strings.ReplaceAll(c.text(9, c.words()...), "é", "e") // fold and rev read UTF-8
	n := c.number(6)
	words := [][]string{
		{"head", c.of("-n", "-c", "-n-", "-c-") + n},
		{"tail", c.of("-n", "-c", "-n+", "-c+") + n},
		{"fold", "-w" + fmt.Sprint(1+c.IntN(9)), c.of("-s", "-b", "-s")},
		{"nl", c.of("-ba", "-bt", "-bn", "-w3", "-s:", "-v5", "-i2", "-nrz", "-nln")},
		{"paste", c.of("-s", "-d,", "-sd:,"), "-", c.of("-", "left")},
		{"tac"},
		{"rev"},
		{"cat", c.of("-n", "-b", "-A", "-s", "-E", "-T", "-v", "-ns")},
		{"wc", c.of("-l", "-w", "-c", "-L", "-lw")},
		{"expand", "-t" + c.of("3", "2,5", "4,/3")},
		{"unexpand", c.of("-a", "-t3", "--first-only")},
		{"grep", c.of("-n", "-c", "-v", "-o", "-i", "-w", "-x", "-E"), c.of("a", "^$", "[0-9]", "b$", "a.b", "a\\|b")},
		{"base64", c.of("-w5", "-w0", "-i")},
		{"factor", c.number(100000), c.number(1 << 30)},
	}[c.IntN(14)]
	return generatedLine{words: words, stdin: text}
}

func generatePrintf(c choice) generatedLine {
	format := ""
	for range 1 + c.IntN(3) {
		width := c.of("", "", "5", "10", "*")
		format += c.of(
			"%"+c.of("", "-", "+", " ", "0", "-+", "+0")+width+c.of("", "", ".2", ".10")+c.of("d", "i"),
			"%"+c.of("", "-", "0", "#", "#0", "-#")+width+c.of("", "", ".2", ".10")+c.of("o", "x", "X"), "%"+c.of("", "-", "0")+width+"u",
			"%"+c.of("", "-", "+", " ", "0", "+0")+width+c.of("", ".2", ".0", ".10")+c.of("f", "e", "g", "E", "G"), "%"+c.of("", "-")+width+c.of("", ".2", ".0")+"s", "%"+c.of("", "-")+"5c", "%b", "%%",
		) + c.of("", " ", "\\n", "|", "\\t", "\\101", "\\x41")
	}
	words := []string{"printf", format}
	for range c.IntN(5) {
		words = append(words, c.of("1", "-5", "abc", "3.7", "0x1f", "017", "'A", "", "1e3", "99999999999", "a\\nb", "+3", " 7", "-0.5", "12abc"))
	}
	return generatedLine{words: words}
}

package shellcommand

import (
	"slices"
	"strings"
)

// harmless are commands that change nothing, whatever their arguments are.
var harmless = []string{
	"cat", "ls", "pwd", "grep", "egrep", "fgrep", "wc", "head", "tail", "diff", "cmp", "comm", "stat", "du", "df",
	"basename", "dirname", "realpath", "readlink", "which", "type", "whoami", "id", "groups", "uname", "arch", "nproc",
	"echo", "true", "false", ":", "seq", "sleep", "cut", "tr", "nl", "tac", "rev", "fold", "fmt", "pr", "expand", "unexpand", "paste", "join",
	"column", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "sum", "shasum",
	"od", "hexdump", "strings", "base32", "jq", "printenv", "ps", "uptime", "cal", "tsort", "zcat", "numfmt", "factor",
	"cd", "pushd", "popd", "dirs", "exit", "return", "break", "continue", "shift", "wait", "times", "help",
	"logname", "tty", "users", "who", "locale", "getconf", "pathchk", "look",
}

// evaluating are commands that change nothing, but run what looks like a command in some
// of their arguments, such as the index in [ -v 'a[$(id)]' ].
var evaluating = []string{"test", "[", "printf", "read", "unset", "let", "getopts"}

// judgeEvaluating judges a command of these.
func judgeEvaluating(name string, args []word) judgement {
	for i, w := range args {
		switch {
		case w.fixed && (name != "unset" || !w.option) && (w.text != "-v" || !slices.ContainsFunc(args, func(o word) bool { return !o.fixed })):
		case name == "test", name == "[", name == "printf" && (i > 0 || !w.option):
			if !w.fixed {
				continue
			}
			fallthrough
		default:
			return ask("names variables that are only known when it runs, or functions")
		}
		if w.fixed && looksLikeCommand(w.text) {
			return ask("holds text that may be run as a command")
		}
		if steers(strings.TrimPrefix(w.text, "-v")) || steers(w.text) {
			return ask(steersWhy)
		}
	}
	return allow("only reads")
}

// options are the options of a command that make it do more than read. With any of these
// a word that may be an option is asked about.
type options struct {
	long  []string // with their dashes; any beginning of one may stand for it
	short string   // letters
	// valued are letters after which the rest of the word is a value.
	valued string
	// operands is how many arguments besides options it may have; what is further is
	// written to, or set. 0 means any number.
	operands int
	// none tells that it may have no arguments at all but options, and digits that none of
	// them may be a number.
	none, digits bool
}

// careful are commands that only read, but for some options.
var careful = map[string]options{
	"sort":     {long: []string{"--output", "--compress-program"}, short: "o", valued: "ktS"},
	"uniq":     {operands: 1},
	"rg":       {long: []string{"--pre", "--hostname-bin", "--search-zip"}, short: "z", valued: "egtTmABCfjMr"},
	"tree":     {long: []string{"--output"}, short: "oR"},
	"xxd":      {operands: 1, short: "r"},
	"date":     {long: []string{"--set"}, short: "s", valued: "Id", digits: true},
	"file":     {long: []string{"--compile"}, short: "C"},
	"base64":   {long: []string{"--output"}, short: "o"},
	"hostname": {none: true, long: []string{"--file", "--boot"}, short: "Fb"},
	"fd":       {long: []string{"--exec", "--exec-batch"}, short: "xX"},
	"fdfind":   {long: []string{"--exec", "--exec-batch"}, short: "xX"},
	"zgrep":    {},
	"hash":     {none: true, short: "p"},
	"umask":    {none: true},
	"jobs":     {short: "x"},
}

// judge says what a command with these arguments comes to.
func (o options) judge(args []word) judgement {
	operands := 0
	for i, w := range args {
		switch {
		case w.fixed && w.text == "--":
			for _, rest := range args[i+1:] {
				operands++
				if !rest.fixed && o.operands > 0 {
					operands++
				}
			}
			return o.judgeOperands(operands)
		case o.digits && (!w.fixed || strings.Trim(w.text, "0123456789.") == ""):
			return ask("may set the clock")
		case !w.option || w.text == "-":
			operands++
			if !w.fixed && o.operands > 0 { // it may be several
				operands++
			}
		case !w.fixed:
			return ask("has an argument that is only known when it runs and may be an option")
		case o.has(w.text):
			return ask("has the option " + shown(w.text) + ", with which it does more than read")
		}
	}
	return o.judgeOperands(operands)
}

func (o options) judgeOperands(operands int) judgement {
	if o.none && operands > 0 || o.operands > 0 && operands > o.operands {
		return ask("has an argument that it writes to")
	}
	return allow("only reads")
}

// has reports whether an option is one of these, or holds one.
func (o options) has(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	if strings.HasPrefix(name, "--") {
		return slices.ContainsFunc(o.long, func(long string) bool { return strings.HasPrefix(long, name) })
	}
	letters := strings.TrimPrefix(option, "-")
	if value := strings.IndexAny(letters, o.valued); value >= 0 {
		letters = letters[:value]
	}
	return strings.ContainsAny(letters, o.short)
}

// dangers are commands that are well known to change something, with what they do.
var dangers = map[string]string{
	"rm": "removes files", "rmdir": "removes folders", "unlink": "removes a file", "shred": "destroys files",
	"mv": "moves files", "cp": "copies files", "ln": "makes links", "mkdir": "makes folders", "touch": "makes or changes files",
	"mktemp": "makes a file", "mkfifo": "makes a pipe", "install": "copies files", "rsync": "copies files", "truncate": "changes files",
	"split": "writes files", "csplit": "writes files", "tee": "writes to files", "patch": "changes files", "dd": "writes raw data",
	"chmod": "changes permissions", "chown": "changes owners", "chgrp": "changes owners", "setfacl": "changes permissions",
	"tar": "reads and writes archives", "zip": "writes archives", "unzip": "writes files", "gzip": "replaces files", "gunzip": "replaces files",
	"curl": "reaches the network", "wget": "reaches the network", "ssh": "runs commands elsewhere", "scp": "reaches the network",
	"sftp": "reaches the network", "nc": "reaches the network", "ncat": "reaches the network", "telnet": "reaches the network", "ping": "reaches the network",
	"kill": "ends processes", "pkill": "ends processes", "killall": "ends processes",
	"alias": "gives a command another meaning", "unalias": "gives a command another meaning", "shopt": "changes how the shell reads commands",
	"source": "runs a script that is not known", ".": "runs a script that is not known", "trap": "runs commands later",
	"enable": "changes which commands there are", "bind": "runs commands later", "complete": "runs commands later",
	"python": "runs a program that is not known", "python3": "runs a program that is not known", "node": "runs a program that is not known",
	"perl": "runs a program that is not known", "ruby": "runs a program that is not known", "php": "runs a program that is not known",
	"make": "runs what its file says", "npm": "runs what its files say", "docker": "runs programs outside", "vi": "edits files", "vim": "edits files", "nano": "edits files", "ed": "edits files",
	"systemctl": "changes services", "service": "changes services", "crontab": "changes what runs later", "at": "runs commands later",
}

// judgeSet judges options of the shell.
func judgeSet(args []word) judgement {
	for i, w := range args {
		plain := w.fixed && (w.text == "--" || strings.Trim(w.text, "-+eux") == "" || strings.Trim(w.text, "-+euxo") == "" && i+1 < len(args) && args[i+1].fixed && args[i+1].text == "pipefail" ||
			w.text == "pipefail" && i > 0)
		if !plain {
			return ask("changes how the shell works")
		}
		if w.text == "--" {
			break
		}
	}
	return allow("only reads")
}

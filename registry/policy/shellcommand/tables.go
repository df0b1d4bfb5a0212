package shellcommand

// harmless are commands that change nothing, with any arguments.
var harmless = []string{
	"cat", "ls", "pwd", "grep", "egrep", "fgrep", "wc", "head", "tail", "diff", "cmp", "comm", "stat", "du", "df",
	"basename", "dirname", "realpath", "readlink", "which", "type", "whoami", "id", "groups", "uname", "arch", "nproc",
	"echo", "true", "false", ":", "seq", "sleep", "cut", "tr", "nl", "tac", "rev", "fold", "fmt", "pr", "expand", "unexpand", "paste", "join",
	"column", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "sum", "shasum",
	"od", "hexdump", "strings", "base32", "jq", "printenv", "ps", "uptime", "cal", "tsort", "zcat", "zgrep", "numfmt", "factor",
	"cd", "pushd", "popd", "dirs", "exit", "return", "break", "continue", "shift", "times", "help",
	"logname", "tty", "users", "who", "locale", "getconf", "pathchk", "look",
}

// careful are commands that only read, except with some options.
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
	"hash":     {none: true, short: "p"},
	"umask":    {none: true},
	"jobs":     {short: "x"},
}

// classifiers are the functions that classify certain commands.
var classifiers = map[string]func(args []word) verdict{
	"test": classifyTest, "[": classifyTest, "set": classifySet, "git": classifyGit, "sed": classifySed, "gsed": classifySed,
	"awk": classifyAwk, "gawk": classifyAwk, "mawk": classifyAwk, "nawk": classifyAwk,
	"let": classifyLet, // as an argument of builtin or command
}

// runNothing are commands that change something and run no other command, whatever their
// arguments. Settings.Ask and Settings.Deny can match such a command, but nothing that it runs.
var runNothing = []string{
	"rm", "rmdir", "unlink", "shred", "mv", "cp", "ln", "mkdir", "touch", "mktemp", "mkfifo", "truncate", "csplit", "tee", "dd",
	"chmod", "chown", "chgrp", "setfacl", "gzip", "gunzip", "unzip", "curl", "ping", "kill", "pkill", "killall",
}

// dangers maps well-known commands that change something to a description of the change.
var dangers = map[string]string{
	"rm": "removes files", "rmdir": "removes directories", "unlink": "removes a file", "shred": "destroys files",
	"mv": "moves files", "cp": "copies files", "ln": "makes links", "mkdir": "makes directories", "touch": "makes or changes files",
	"mktemp": "makes a file", "mkfifo": "makes a pipe", "install": "copies files", "rsync": "copies files", "truncate": "changes files",
	"split": "writes files", "csplit": "writes files", "tee": "writes to files", "patch": "changes files", "dd": "writes raw data",
	"chmod": "changes permissions", "chown": "changes owners", "chgrp": "changes owners", "setfacl": "changes permissions",
	"tar": "reads and writes archives", "zip": "writes archives", "unzip": "writes files", "gzip": "replaces files", "gunzip": "replaces files",
	"curl": "reaches the network", "wget": "reaches the network", "ssh": "runs commands elsewhere", "scp": "reaches the network",
	"sftp": "reaches the network", "nc": "reaches the network", "ncat": "reaches the network", "telnet": "reaches the network", "ping": "reaches the network",
	// Commands that set variables when they are arguments of the commands builtin or command:
	"export": "sets variables", "declare": "sets variables", "typeset": "sets variables", "local": "sets variables", "readonly": "sets variables",
	"kill": "ends processes", "pkill": "ends processes", "killall": "ends processes",
	"alias": "gives a command another meaning", "unalias": "gives a command another meaning", "shopt": "changes how the shell reads commands",
	"source": "runs an unknown script", ".": "runs an unknown script", "trap": "runs commands later",
	"enable": "changes which commands there are", "bind": "runs commands later", "complete": "runs commands later",
	"python": "runs an unknown program", "python3": "runs an unknown program", "node": "runs an unknown program",
	"perl": "runs an unknown program", "ruby": "runs an unknown program", "php": "runs an unknown program",
	"make": "runs what its file says", "npm": "runs what its files say", "docker": "runs programs outside", "vi": "edits files", "vim": "edits files", "nano": "edits files", "ed": "edits files",
	"systemctl": "changes services", "service": "changes services", "crontab": "changes what runs later", "at": "runs commands later",
}

package commands

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// FuzzCommandLine runs commands such as awk and sed, whose arguments are programs, with random
// arguments. No command may panic or exceed its time limit.
func FuzzCommandLine(f *testing.F) {
	for _, seed := range []string{
		"sed -n s/a/b/gp;/x/,/y/{p;d};$!N;P;D", "sed -E y/abc/xyz/;s/(a)|b/\\U\\1/2g", "sed a\\\ntext\n2,4c\\x", "grep -E a{1,3}(b|c)*[[:alpha:]]", "grep \\(a\\)\\{2\\}[^]x]\\<b",
		"find . -name [a-z]* ( -type f -o -size +1k ) -printf %p%f%Ty", "tr [a*3][:upper:]\\101-\\103 x-z", "sort -k2.1,3nr -t:", "cut -d: -f1-3,5-",
		"printf %5.2f%-*s%b\\x41 1 2 a", "expr ( 1 + 2 ) * match abc a\\(.\\)", "test ( a = a -o ! -f b )", "date -u -d 2024-01-02_3_days_ago +%F%_5d%:::z",
		"jq .a[1:]|map(.b//empty)", "awk {print$1;gsub(/a+/,\"&\")}", "seq -w 1 3 9", "diff -U1 - -", "xargs -n2 -d\\n echo", "chmod u+x,g=rX,o-w x", "stat -c %n%-5s .",
		"head -n -3", "tail -c +2", "wc -lwc", "column -t -s:", "nl -ba -nrz", "fold -sw3", "od -An -tx1z", "xxd -r", "base64 -d", "join -o 0,1.2 - -", "comm - -", "tar xf -", "gunzip", "curl -d @x -H a:b http://",
	} {
		f.Add(seed, "line one\nb:2 c\n\x1f\x8b\n")
	}
	// Use only commands that do not write, because the fuzzer could otherwise delete files.
	harmless := map[string]spec{}
	for _, s := range all(nil) {
		switch s.name {
		case "awk", "rm", "rmdir", "mv", "cp", "mkdir", "touch", "tee", "split", "tar", "unzip", "zip", "gzip", "gunzip", "mktemp", "chmod", "find", "sed", "sort", "shuf", "curl", "uniq":
			if s.name != "sed" && s.name != "find" && s.name != "sort" {
				continue
			}
		}
		harmless[s.name] = s
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, line, input string) {
		words := strings.Split(line, " ")
		s, ok := harmless[words[0]]
		if !ok || writes(words) {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		done := make(chan struct{})
		go func() {
			defer close(done)
			var stderr bytes.Buffer
			runCommand(ctx, dir, words, strings.NewReader(input), io.Discard, &stderr)
			if strings.Contains(stderr.String(), "%!") {
				t.Errorf("%s: a message is malformed: %s", s.name, &stderr)
			}
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatal("it goes on after its time")
		}
	})
}

// writes reports whether a command line may write files. sed and sort can write only if the command
// line has certain letters, find only if it has certain options.
func writes(words []string) bool {
	line := strings.Join(words[1:], " ")
	switch words[0] {
	case "sed":
		return strings.ContainsAny(line, "wWi")
	case "find":
		return strings.Contains(line, "-d") || strings.Contains(line, "-exec")
	case "sort":
		return strings.Contains(line, "o")
	case "env", "xargs", "timeout", "nohup":
		return true // these commands run other commands, which may write
	}
	return false
}

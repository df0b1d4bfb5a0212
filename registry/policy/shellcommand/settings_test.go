package shellcommand_test

import (
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	s := shellcommand.Settings{
		Allow: []string{"npm run *", "go test ./...", "mkdir *", "sudo *", "git push origin dev-*", "sh *", "touch [ab]"},
		Ask:   []string{"cat *.env", "git log"},
		Deny:  []string{"git push --force", "docker"},
	}
	for _, tt := range []struct {
		script string
		want   policy.Effect
	}{
		{"npm run build", policy.Allow},
		{"npm run", policy.Allow},
		{"npm run build && ls", policy.Allow},
		{"timeout 60 npm run build", policy.Allow},
		{"npm install", policy.Ask},
		{"npm run build; rm x", policy.Ask},
		{"npm run build > out.txt", policy.Ask},
		{"npm run $(rm x)", policy.Ask},
		{"PATH=/tmp npm run build", policy.Ask},
		{"./npm run build", policy.Ask},
		{"n$x run build", policy.Ask},
		{"npm $x build", policy.Ask},
		{"npm run build | sh -c 'rm x'", policy.Ask},
		{"go test ./...", policy.Allow},
		{"go test ./... -exec evil", policy.Ask},
		{"git push origin dev-1", policy.Allow},
		{"git push origin main", policy.Ask},
		{"git push origin dev-1 --force", policy.Deny},
		{"git push --force origin dev-1", policy.Deny},
		{"git -C x PUSH --force", policy.Deny},
		{"env git push $x", policy.Ask},
		{"git push --for$x", policy.Ask},
		{"mkdir $x", policy.Allow},
		{"mkdir d && sudo mkdir e", policy.Deny},
		{"sudo ls", policy.Deny},
		{"touch '[ab]'", policy.Allow},
		{"touch a", policy.Ask},
		{"cat a", policy.Allow},
		{"cat prod.env", policy.Ask},
		{"cat a prod.env b", policy.Ask},
		{"git log", policy.Ask},
		{"/usr/bin/docker ps", policy.Deny},
		{"ls | xargs docker", policy.Deny},
		{"grep docker a", policy.Allow},
	} {
		got := shellcommand.Classify(tt.script, s)
		if got.Effect != tt.want {
			t.Errorf("%q: %v, want %v: %s", tt.script, got.Effect, tt.want, got.Reason)
		}
	}
	if got := shellcommand.Classify("npm run build", s); got.ReadOnly {
		t.Error("what the operator allows is not what can only read")
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][]string{
		"git commit -m x":               {"git commit *"},
		"npm run build":                 {"npm run build *"},
		"npm install":                   {"npm install *"},
		"docker compose up":             {"docker compose up *"},
		"rm -rf x":                      {"rm *"},
		"ls && rm x | tee y":            {"rm *", "tee *"},
		"rm a; rm b":                    {"rm *"},
		"timeout 5 rm x":                {"rm *"},
		"sh -c 'git add . && git push'": {"git add *", "git push *"},
		"find . -exec touch {} \\;":     {"touch *"},
		"./build.sh fast":               {"./build.sh *"},
		"rm $x":                         {"rm *"},
		"rm x > out":                    nil, // no pattern for a redirection
		"A=1 rm x":                      {"rm *"},
		"PATH=/tmp rm x":                nil,
		"python3 a.py":                  nil, // no pattern, because the command can do anything
		"bash a.sh":                     nil,
		"find . -delete":                nil,
		"$x y":                          nil,
		"git -c a.b=c commit":           nil,
		"git $x":                        nil,
		"'a b' c":                       nil,
		"'rm;x' c":                      nil,
		"'*' c":                         nil,
		"rm x; eval \"$y\"":             nil,
		"rm ( ":                         nil,
		"ls":                            nil, // needs no approval
	} {
		got, ok := shellcommand.Classify(script, shellcommand.Settings{}).Patterns()
		if ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", script, got, ok, want)
		}
		if !ok {
			continue
		}
		if again := shellcommand.Classify(script, shellcommand.Settings{Allow: got}); again.Effect != policy.Allow {
			t.Errorf("%q: its patterns %q do not allow it: %s", script, got, again.Reason)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	t.Parallel()
	for pattern, ok := range map[string]bool{
		"npm run *": true, "*": true, "git push --force": true, "": false, " ": false, "a; b": false, "a | b": false, "a $x": false,
		"sudo *": false, "/usr/bin/sudo": false, "SUDO": false, "mkfs.ext4 *": false,
	} {
		if err := shellcommand.CheckPattern(pattern, true); (err == nil) != ok {
			t.Errorf("allow %q: %v", pattern, err)
		}
	}
	if err := shellcommand.CheckPattern("sudo *", false); err != nil {
		t.Errorf("deny may name it: %v", err)
	}
}

package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/config"
)

// situation is a denied call and the configuration in which the call is made.
type situation struct {
	// manifest is added to the tool's manifest. operator is the content of the operator's file, or
	// "" for no file. The test replaces TOOLS in operator with the directory of the tool.
	manifest, operator string
	// target names the tool on the command line; "" means the directory of the tool. args holds
	// flags and arguments of the call.
	target string
	args   []string
	env    map[string]string
	// status and says are the expected exit status and a part of the expected message. ways lists
	// the kinds of advice that the message must give.
	status int
	says   string
	ways   []string
	// then maps a way to a part of an error message. After the test has followed the advice for
	// this way, the call may still fail, for another reason, with this message.
	then map[string]string
}

// Ways to solve a denial, as the advice describes them.
const (
	byFlags    = "flags"             // flags, which apply to this call only
	byGrant    = "grant"             // a stored grant, which is valid until the tool changes
	byFile     = "file"              // a permanent change of the operator's file
	byMoreFile = "file with comment" // byFile, with the line that a comment in the advice suggests
	byObstacle = "obstacle"          // an obstacle that must be removed first
	byBoth     = "obstacle-flags"    // byFlags, once the obstacle is removed
)

const (
	writesWorkspace = "[[permissions.fs]]\nmount = \"workspace\"\nmode = \"write\"\n"
	mountsData      = "[[permissions.fs]]\nmount = \"data\"\nmode = \"%s\"\n"
	usesNet         = "[[permissions.net]]\nurl = \"https://*.example.com/v1\"\nmethods = [\"GET\", \"POST\"]\n"
	usesSecret      = "[[permissions.net]]\nurl = \"https://api.example.com/v1\"\nmethods = [\"GET\"]\nsecrets = [{ name = \"TOKEN\", header = \"X-Token\" }]\n"
	hasToken        = "[secrets.TOKEN]\nenv = \"TOKEN\"\n"
	asksStore       = "permissions.kv = \"write\"\n"
	givesStore      = "[grants]\nallow = [\"kv:write\"]\n"
	isScript        = "shell = \"{text}\"\n"
	isDangerous     = "dangerous = true\n"
	everyWay        = "flags grant file"
)

func situations() map[string]situation {
	token := map[string]string{"TOKEN": "hunter2-hunter2"}
	ways := strings.Fields
	all := ways(everyWay)
	withAuto := append(slices.Clone(all), byMoreFile)
	asked := map[string]string{byFile: "no approver is available"}
	asksThen := func(text string) map[string]string { return map[string]string{byFile: text, byObstacle: text} }
	return map[string]situation{
		// Permissions that are not granted.
		"writing":                             {manifest: writesWorkspace, status: 4, says: "not granted: write:workspace", ways: withAuto, then: asked},
		"writing, with an empty entry":        {manifest: writesWorkspace, operator: "[tools.tool]\n", status: 4, says: "not granted", ways: withAuto, then: asked},
		"writing, with an entry":              {manifest: asksStore + writesWorkspace, operator: "[tools.tool]\nallow = [\"kv:write\"]\nenabled = true\n\n[limits]\nopen_files = 9\n", status: 4, says: "not granted: write:workspace", ways: withAuto, then: asked},
		"writing, by name":                    {manifest: writesWorkspace, operator: "tool_directories = ['TOOLS']\n", target: "tool", status: 4, says: "not granted", ways: withAuto, then: asked},
		"writing, in a directory":             {manifest: fmt.Sprintf(mountsData, "write"), args: []string{"--dir", "data=."}, status: 4, says: "not granted: write:data", ways: withAuto, then: asked},
		"writing, in a directory of the file": {manifest: fmt.Sprintf(mountsData, "write"), operator: "[mounts]\ndata = '../../data'\n", status: 4, says: "not granted: write:data", ways: withAuto, then: asked},
		"writing, with other mounts":          {manifest: fmt.Sprintf(mountsData, "write"), args: []string{"--dir", "data=."}, operator: "[mounts]\nother = '.'\n[tools.other]\nallow = []\n", status: 4, says: "not granted: write:data", ways: withAuto, then: asked},
		"a directory that is not bound":       {manifest: fmt.Sprintf(mountsData, "read"), status: 4, says: "not granted: read:data", ways: ways("flags obstacle")},
		"writing where nothing is bound":      {manifest: fmt.Sprintf(mountsData, "write"), operator: "[mounts]\nother = '.'\n", status: 4, says: "not granted: write:data", ways: ways("flags obstacle"), then: asksThen("not granted: write:data")},
		"a variable":                          {manifest: "permissions.env = [\"LANG\"]\n", env: map[string]string{"LANG": "C"}, status: 4, says: "not granted: env:LANG", ways: withAuto, then: asked},
		"a variable that is not set":          {manifest: "permissions.env = [\"NOT_SET\"]\n", status: 4, says: "not granted: env:NOT_SET", ways: ways("flags obstacle"), then: asksThen("not granted: env:NOT_SET")},
		"the network":                         {manifest: usesNet, status: 4, says: "not granted: net:GET,POST:https://*.example.com/v1", ways: withAuto, then: asked},
		"any host":                            {manifest: strings.Replace(usesNet, "https://*.example.com/v1", "any", 1), args: []string{"text=https://go.example/x"}, status: 4, says: "not granted: net:GET,POST:https://go.example/", ways: withAuto, then: asked},
		"the store":                           {manifest: asksStore, status: 4, says: "not granted: kv:write", ways: withAuto, then: asked},
		"a secret":                            {manifest: usesSecret, operator: hasToken, env: token, status: 4, says: "secret:TOKEN", ways: withAuto, then: asked},
		"a secret of nowhere":                 {manifest: usesSecret, env: token, status: 4, says: "secret:TOKEN", ways: ways("obstacle obstacle-flags"), then: map[string]string{byObstacle: "not granted"}},
		"a secret of nowhere, allowed":        {manifest: usesSecret, env: token, args: []string{"--allow", "secret:TOKEN", "--allow", "net:https://api.example.com/"}, status: 4, says: "secret:TOKEN", ways: ways("obstacle")},
		"all at once":                         {manifest: "permissions.env = [\"LANG\"]\n" + asksStore + writesWorkspace + usesSecret, operator: hasToken, env: map[string]string{"TOKEN": token["TOKEN"], "LANG": "C"}, status: 4, says: "not granted", ways: withAuto, then: asked},
		"a dangerous tool that lacks":         {manifest: isDangerous + asksStore, status: 4, says: "not granted", ways: withAuto, then: map[string]string{byFlags: "the tool is dangerous", byGrant: "the tool is dangerous", byFile: "the tool is dangerous"}},
		"denied for all":                      {manifest: asksStore, operator: "[grants]\nallow = [\"kv:write\"]\ndeny = [\"net:any\", \"kv:write\"]\n", status: 4, says: "not granted: kv:write", ways: ways("obstacle"), then: asksThen("no approver is available")},
		"denied for the tool":                 {manifest: asksStore, operator: "[tools.tool]\ndeny = [\"kv:write\"]\n", status: 4, says: "not granted: kv:write", ways: ways("obstacle"), then: asksThen("not granted")},

		// Calls that need approval.
		"a question":                      {manifest: asksStore, operator: givesStore, status: 4, says: "the call can reach kv:write", ways: all},
		"a question, with rules":          {manifest: asksStore, operator: givesStore + "[policy]\nprofile = \"full\"\n[[policy.rules]]\neffect = \"allow\"\ntools = [\"grep\"]\n[env]\nLANG = \"C\"\n", status: 4, says: "the call can reach kv:write", ways: all},
		"dangerous":                       {manifest: isDangerous, status: 4, says: "the tool is dangerous", ways: all},
		"dangerous, with an entry":        {manifest: isDangerous, operator: "[tools.tool]\nenabled = true\n", status: 4, says: "the tool is dangerous", ways: all},
		"any host that was granted":       {manifest: strings.Replace(usesNet, "https://*.example.com/v1", "any", 1), operator: "[tools.tool]\nallow = [\"net:any\"]\n", status: 4, says: "can reach net:", ways: all},
		"a rule that asks":                {manifest: asksStore, operator: givesStore + "[tools.tool]\nauto_execute = true\n[[policy.rules]]\neffect = \"deny\"\ntools = [\"grep\"]\n[[policy.rules]]\neffect = \"ask\"\ntools = [\"tool\"]\n", status: 4, says: "no approver is available", ways: ways("flags file")},
		"a script":                        {manifest: isScript + writesWorkspace, operator: "[tools.tool]\nallow = [\"write:workspace\"]\n", args: []string{"text=git push; npm run x"}, status: 4, says: "no approver is available", ways: ways("flags file")},
		"a script, with commands":         {manifest: isScript + writesWorkspace, operator: "[shell]\nallow = [\"npm run *\"]\ndeny = [\"rm\"]\n[tools.tool]\nallow = [\"write:workspace\"]\n", args: []string{"text=git push; npm run x"}, status: 4, says: "no approver is available", ways: ways("flags file")},
		"a script asked about by [shell]": {manifest: isScript, operator: "[shell]\nask = [\"cat *.env\"]\n", args: []string{"text=cat a.env"}, status: 4, says: "no approver is available", ways: ways("flags")},
		"a script that redirects":         {manifest: isScript + writesWorkspace, operator: "[tools.tool]\nallow = [\"write:workspace\"]\n", args: []string{"text=ls > x"}, status: 4, says: "no approver is available", ways: ways("flags")},
		"a script that lacks":             {manifest: isScript + writesWorkspace, args: []string{"text=rm x"}, status: 4, says: "not granted: write:workspace", ways: all, then: map[string]string{byFlags: "no approver is available", byGrant: "no approver is available", byFile: "no approver is available"}},

		// Tools that are denied or switched off.
		"a rule that denies":     {operator: "[[policy.rules]]\neffect = \"deny\"\ntools = [\"tool\"]\n[policy.rules.arguments]\n\"/text\" = { equals = \"a\", missing = true }\n[env]\nLANG = \"C\"\n", status: 4, says: "the operator's policy denies the call", ways: ways("file")},
		"on the deny list":       {operator: "[policy]\ndeny = [\"grep\", \"tool\", \"glob\"]\n", status: 7, says: "switched off", ways: ways("file")},
		"on the deny list alone": {operator: "[policy]\ndeny = [\n  \"t*\"\n]\n", status: 7, says: "switched off", ways: ways("file")},
		"not on the allow list":  {operator: "[policy]\nallow = [\"grep\"]\n", status: 7, says: "switched off", ways: ways("file")},
		"not in the profile":     {operator: "[policy]\nprofile = \"coding\"\ndeny = [\"exec\"]\n[env]\nLANG = \"C\"\n", status: 7, says: "switched off", ways: ways("file")},
		"in no profile":          {operator: "[policy]\nprofile = \"minimal\"\nallow = [\"grep\"]\n", status: 7, says: "switched off", ways: ways("file")},
		"switched off":           {operator: "[tools.tool]\nauto_execute = true\nenabled = false\n", status: 7, says: "switched off", ways: ways("file")},
		"all switched off":       {operator: "[policy]\nprofile = \"full\"\nenable_tool_calls = false\n", status: 7, says: "switched off", ways: ways("file")},
		"pinned":                 {operator: "[tools.tool]\ndigest = \"sha256:" + strings.Repeat("0", 64) + "\"\n", status: 4, says: "differs from the version that the operator pinned", ways: ways("file")},
	}
}

// Each denial prints advice. The test follows the advice exactly as printed, in the same situation.
// The same call must then no longer fail with that denial.
func TestPrintedAdviceSolvesDenial(t *testing.T) {
	for name, s := range situations() {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, s)
			status, stderr := p.call()
			if status != s.status || !strings.Contains(stderr, s.says) {
				t.Fatalf("status %d, want %d and %q:\n%s", status, s.status, s.says, stderr)
			}
			advice := adviceIn(t, stderr)
			if got, want := slices.Sorted(maps.Keys(advice)), slices.Sorted(slices.Values(s.ways)); !slices.Equal(got, want) {
				t.Errorf("advises %q, want %q:\n%s", got, want, stderr)
			}
			for way, text := range advice {
				t.Run(way, func(t *testing.T) {
					p := newPlace(t, s)
					p.follow(way, text)
					status, stderr := p.call()
					want, again := s.then[way]
					if again && (status == 0 || !strings.Contains(stderr, want)) || !again && status != 0 {
						t.Errorf("after\n%s\nstatus %d, want %q:\n%s", text, status, want, stderr)
					}
				})
			}
		})
	}
}

// The advice of 'policy explain' about a call and about single permissions must work as well.
func TestExplainedAdviceSolvesDenial(t *testing.T) {
	forCall := regexp.MustCompile(`to grant what is missing, until the tool changes:\n  (.*)\n`)
	forWord := regexp.MustCompile(`(?s)to allow it: ([^\n]*)\n  or in the operator's file:\n((?:    [^\n]*\n)+)`)
	helped := make(map[string]int)
	for name, s := range situations() {
		if slices.ContainsFunc(s.args, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
			continue // an explanation cannot take flags into account
		}
		t.Run(name, func(t *testing.T) {
			explain := func(p *place, words ...string) string {
				args := []string{"policy", "explain", p.target()}
				for _, arg := range s.args {
					args = append(args, "--input", strings.Replace(arg, "text=", `{"text":"`, 1)+`"}`)
				}
				if words != nil {
					args = append(args[:3], words...)
				}
				if status, stderr := p.wasmtool(args...); status != 4 && status != 0 {
					t.Errorf("status %d: %s", status, stderr)
				}
				return p.printed
			}
			past := func(kind, text string, p *place) {
				t.Helper()
				helped[kind]++
				if status, stderr := p.call(); status != 0 && strings.Contains(stderr, s.says) {
					t.Errorf("after %s\nstatus %d: %s", text, status, stderr)
				}
			}
			p := newPlace(t, s)
			_, stderr := p.call()
			if m := forCall.FindStringSubmatch(explain(p)); m != nil {
				p := newPlace(t, s)
				p.follow(byGrant, m[1])
				past("call", m[1], p)
			}
			_, missing, found := strings.Cut(stderr, "not granted: ")
			if !found {
				return
			}
			missing, _, _ = strings.Cut(missing, ";")
			missing, _, _ = strings.Cut(missing, ", needed")
			words := strings.Split(missing, ", ")
			advice := forWord.FindAllStringSubmatch(explain(newPlace(t, s), words...), -1)
			if len(advice) < len(words) {
				return // the advice names an obstacle for one of the permissions
			}
			granted, written := newPlace(t, s), newPlace(t, s)
			for _, m := range advice {
				granted.follow(byGrant, m[1])
			}
			past("words", fmt.Sprint(advice), granted)
			if len(advice) == 1 {
				lines := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(advice[0][2], "    "), "\n"), "\n    ", "\n")
				written.follow(byFile, lines)
				past("lines", lines, written)
			}
		})
	}
	if helped["call"] < 5 || helped["words"] < 5 || helped["lines"] < 5 {
		t.Errorf("little was advised: %v", helped)
	}
}

// place holds the directories and files in which a situation is set up.
type place struct {
	t        *testing.T
	s        situation
	operator string
	flags    []string
	printed  string // standard output of the last command
}

func newPlace(t *testing.T, s situation) *place {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the test uses the directory layout of Unix")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": dir, "XDG_CONFIG_HOME": filepath.Join(dir, "config"), "XDG_STATE_HOME": filepath.Join(dir, "state"),
		cacheEnv: cacheOff, config.PathVariable: "",
	} {
		t.Setenv(name, value)
	}
	for name, value := range s.env {
		t.Setenv(name, value)
	}
	p := &place{t: t, s: s, operator: config.Find(dir, "", os.LookupEnv).Path}
	for _, name := range []string{filepath.Join(dir, "work"), filepath.Join(dir, "data"), filepath.Join(dir, "tools", "tool"), filepath.Join(dir, "state"), filepath.Dir(p.operator)} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "work"))
	p.write(filepath.Join(dir, "tools/tool/tool.toml"), "manifest = 1\nname = \"tool\"\nversion = \"1.0.0\"\ndescription = \"Does nothing.\"\n"+
		"module.path = \"tool.wasm\"\nparameters = { type = \"object\", properties = { text = { type = \"string\" } } }\n"+s.manifest)
	p.write(filepath.Join(dir, "tools/tool/tool.wasm"), string(wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Funcs: []wasmtest.Func{{Body: wasmtest.Code()}}, Memory: []uint32{1},
		Exports: []wasmtest.Export{{Name: "_start"}, {Name: "memory", Kind: 2}},
	}.Bytes()))
	if s.operator != "" {
		p.write(p.operator, strings.ReplaceAll(s.operator, "TOOLS", filepath.Join(dir, "tools")))
	}
	return p
}

func (p *place) write(path, text string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// wasmtool runs a command line without a terminal.
func (p *place) wasmtool(args ...string) (status int, stderr string) {
	var out, errs bytes.Buffer
	status = Main(p.t.Context(), args, Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, nil)
	p.printed = out.String()
	return status, errs.String()
}

func (p *place) target() string {
	if p.s.target != "" {
		return p.s.target
	}
	return "../tools/tool"
}

func (p *place) call() (status int, stderr string) {
	return p.wasmtool(slices.Concat([]string{"run", p.target()}, p.s.args, p.flags)...)
}

// adviceIn returns the advice in a message, as a map from each way to its text.
func adviceIn(t *testing.T, stderr string) map[string]string {
	t.Helper()
	advice := make(map[string]string)
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		heading, text, _ := strings.Cut(strings.TrimPrefix(lines[i], "  "), ": ")
		heading = strings.TrimSuffix(heading, ":")
		var more []string
		for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    "); i++ {
			more = append(more, strings.TrimPrefix(lines[i+1], "    "))
		}
		if more != nil {
			text = strings.Join(more, "\n")
		}
		way := ""
		switch {
		case heading == "for this call":
			way = byFlags
		case heading == "after that, for this call":
			way, text = byBoth, advice[byObstacle]+"\n"+text
		case heading == "until the tool changes":
			way = byGrant
		case heading == "to do first":
			way = byObstacle
		case strings.HasPrefix(heading, "permanently, in the operator's file"):
			way = byFile
			if _, key, found := strings.Cut(text, "unless you add: "); found {
				advice[byMoreFile] = text + "\n" + key
			}
		default:
			t.Fatalf("unknown advice %q in\n%s", lines[i], stderr)
		}
		advice[way] = text
	}
	return advice
}

// follow does what the advice says.
func (p *place) follow(way, text string) {
	p.t.Helper()
	switch way {
	case byFlags, byBoth:
		obstacles, flags, found := strings.Cut(text, "add ")
		if !found {
			p.t.Fatalf("%q does not say what to add", text)
		}
		if way == byBoth {
			p.follow(byObstacle, strings.TrimSuffix(obstacles, "\n"))
		}
		p.flags = p.words(flags)
	case byGrant:
		words := p.words(text)
		if status, stderr := p.wasmtool(words[1:]...); words[0] != "wasmtool" || status != 0 {
			p.t.Fatalf("%s: status %d: %s", text, status, stderr)
		}
	case byFile, byMoreFile:
		p.edit(text)
	case byObstacle:
		for line := range strings.Lines(text) {
			p.remove(strings.TrimSuffix(line, "\n"))
		}
	}
}

// words splits a line as a shell does. It replaces the placeholders, which a user would replace by
// hand.
func (p *place) words(line string) []string {
	p.t.Helper()
	words, err := shell.Fields(line, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	for i, w := range words {
		words[i] = strings.NewReplacer("=PATH", "=.", "=VALUE", "=value").Replace(w)
	}
	return words
}

// tableHeader matches the first line of advice about a table. "at" is the number of the line of the
// operator's file where the table already begins.
var tableHeader = regexp.MustCompile(`^(\[\[?[^\]]+\]\]?)(?: # already exists, \S+:(?P<at>\d+); change it to have)?$`)

// edits matches changes that the advice describes in words. The first group is the string to add or
// remove, and the last group is the number of the line.
var edits = []struct {
	text *regexp.Regexp
	edit func(lines []string, at int, what string) []string
}{
	{regexp.MustCompile(`^remove (".*") from deny \(\S+:(\d+)\)$`), takeOut},
	{regexp.MustCompile(`^remove (rules\[\d+\]), or narrow it \(\S+:(\d+)\)$`), func(lines []string, at int, _ string) []string {
		end := at + 1
		for end < len(lines) && !(strings.HasPrefix(lines[end], "[") && !strings.HasPrefix(lines[end], "[policy.rules.")) {
			end++
		}
		return slices.Delete(lines, at, end)
	}},
	{regexp.MustCompile(`^add (".*") to allow \(\S+:(\d+)\)$`), func(lines []string, at int, what string) []string {
		lines[at] = strings.Replace(lines[at], "]", ", "+what+"]", 1)
		return lines
	}},
	{regexp.MustCompile(`^set (.*) in \[.*\] \(\S+:(\d+)\)$`), setLine},
	{regexp.MustCompile(`^look at the change, then set (.*) in \[tools.tool\](0*)$`), setLine},
}

// takeOut removes an element from the list on a line.
func takeOut(lines []string, at int, what string) []string {
	for _, before := range []string{what + ", ", ", " + what, what} {
		if strings.Contains(lines[at], before) {
			lines[at] = strings.Replace(lines[at], before, "", 1)
			break
		}
	}
	return lines
}

// setLine sets a key in a table. The parameter at is the index of the header of the table, or of a
// line in the table.
func setLine(lines []string, at int, what string) []string {
	start := at
	for start > 0 && !strings.HasPrefix(lines[start], "[") {
		start--
	}
	key, _, _ := strings.Cut(what, " = ")
	for i := start + 1; i < len(lines) && !strings.HasPrefix(lines[i], "["); i++ {
		if strings.HasPrefix(lines[i], key+" = ") {
			lines[i] = what
			return lines
		}
	}
	return slices.Insert(lines, start+1, what)
}

// edit changes the operator's file as the advice says, either with lines of TOML or in words.
func (p *place) edit(text string) {
	p.t.Helper()
	lines := p.lines()
	if !strings.HasPrefix(text, "[") {
		p.save(p.applyWords(lines, text))
		return
	}
	at := -1 // the line of the table to change, or -1 to append to the file
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		header := tableHeader.FindStringSubmatch(line)
		switch {
		case header != nil && header[2] != "":
			at = number(p.t, header[2])
		case header != nil:
			at, lines = -1, append(lines, line)
		case strings.HasPrefix(line, "#"):
		case at >= 0:
			lines = setLine(lines, at, strings.Replace(line, "PATH", ".", 1))
		default:
			lines = append(lines, strings.Replace(line, "PATH", ".", 1))
		}
	}
	p.save(lines)
}

// applyWords makes a change that is described in words.
func (p *place) applyWords(lines []string, text string) []string {
	p.t.Helper()
	for _, e := range edits {
		if m := e.text.FindStringSubmatch(text); m != nil {
			at := 0
			if m[2] != "" {
				at = number(p.t, m[2])
			}
			return e.edit(lines, at, m[1])
		}
	}
	p.t.Fatalf("unknown change %q", text)
	return nil
}

// remove removes an obstacle.
func (p *place) remove(text string) {
	p.t.Helper()
	if m := regexp.MustCompile(`"env:(\w+)": the environment variable is not set; set it`).FindStringSubmatch(text); m != nil {
		p.t.Setenv(m[1], "value")
		return
	}
	lines := p.lines()
	if m := regexp.MustCompile(`write (\[secrets\.\w+\]) with (env = "\w+"),`).FindStringSubmatch(text); m != nil {
		p.save(append(lines, m[1], m[2]))
		return
	}
	if m := regexp.MustCompile(`write (\w+ = )"PATH" into (\[mounts\]) of`).FindStringSubmatch(text); m != nil {
		if at := slices.Index(lines, m[2]); at >= 0 {
			p.save(slices.Insert(lines, at+1, m[1]+`"."`))
		} else {
			p.save(append(lines, m[2], m[1]+`"."`))
		}
		return
	}
	if m := regexp.MustCompile(`denied by (\S+) \(\S+:(\d+)\); a denial overrides every grant, so the only fix is to remove the denial$`).FindStringSubmatch(text); m != nil {
		p.save(takeOut(lines, number(p.t, m[2]), strconv.Quote(m[1])))
		return
	}
	p.t.Fatalf("unknown obstacle %q", text)
}

// lines returns the lines of the operator's file.
func (p *place) lines() []string {
	p.t.Helper()
	text, err := os.ReadFile(p.operator)
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func (p *place) save(lines []string) {
	p.t.Helper()
	p.write(p.operator, strings.Join(lines, "\n")+"\n")
}

// number converts the number of a line to its index.
func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n - 1
}

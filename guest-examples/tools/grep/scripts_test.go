package grep

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/scripts.json with the installed ripgrep")

// scripts is what ripgrep finds in testdata/scripts.txt, a text in many scripts.
type scripts struct {
	Ripgrep  string          `json:"ripgrep"` // its version
	Searches []scriptsSearch `json:"searches"`
}

type scriptsSearch struct {
	Pattern    string   `json:"pattern"`
	IgnoreCase bool     `json:"ignore_case,omitempty"`
	Literal    bool     `json:"literal,omitempty"`
	Word       bool     `json:"word,omitempty"`
	Matches    []string `json:"matches"` // not the empty matches; each is line:text
}

const (
	scriptsText = "testdata/scripts.txt"
	scriptsJSON = "testdata/scripts.json"
)

func TestScriptsAsRipgrep(t *testing.T) {
	text, err := os.ReadFile(scriptsText)
	if err != nil {
		t.Fatal(err)
	}
	var expected scripts
	data, err := os.ReadFile(scriptsJSON)
	if err == nil {
		err = json.Unmarshal(data, &expected)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, search := range expected.Searches {
		m, err := compile(search.Pattern, search.IgnoreCase, search.Literal, search.Word)
		if err != nil {
			t.Errorf("%s: %v", search.Pattern, err)
			continue
		}
		matches := []string{}
		for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			for _, match := range m.re.FindAllSubmatchIndex([]byte(line), -1) {
				if match[0] < match[1] {
					matches = append(matches, fmt.Sprintf("%d:%s", i+1, line[match[0]:match[1]]))
				}
			}
		}
		found += len(matches)
		if !slices.Equal(matches, search.Matches) {
			t.Errorf("%s, ignore_case %v, word %v:\ngot  %v\nwant %v", search.Pattern, search.IgnoreCase, search.Word, matches, search.Matches)
		}
	}
	if len(expected.Searches) < 100 || found < 1000 {
		t.Errorf("only %d searches with %d matches were compared", len(expected.Searches), found)
	}
}

// The committed matches must be what ripgrep finds. Where it is not installed, as in CI, the
// committed matches are enough.
func TestScriptsAreThoseOfRipgrep(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("ripgrep is not installed")
	}
	var committed scripts
	if data, err := os.ReadFile(scriptsJSON); err == nil {
		if err := json.Unmarshal(data, &committed); err != nil {
			t.Fatal(err)
		}
	} else if !*update {
		t.Fatal(err)
	}
	version, err := exec.Command(rg, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	current := scripts{Ripgrep: strings.Fields(string(version))[1]}
	if major, _, _ := strings.Cut(current.Ripgrep, "."); len(major) < 2 || major < "15" {
		t.Skipf("ripgrep %s is too old: some versions misplace \\b after letters that are not ASCII", current.Ripgrep)
	}
	for _, search := range scriptsSearches() {
		search.Matches = ripgrep(t, rg, search)
		current.Searches = append(current.Searches, search)
	}
	if *update {
		data, err := json.Marshal(current)
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.ReplaceAll(data, []byte(`{"pattern"`), []byte("\n{\"pattern\""))
		if err := os.WriteFile(scriptsJSON, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !reflect.DeepEqual(current.Searches, committed.Searches) {
		t.Errorf("ripgrep %s finds other matches than ripgrep %s did; compare them with go test ./tools/grep -run Ripgrep -update",
			current.Ripgrep, committed.Ripgrep)
	}
}

// scriptsSearches returns the searches to compare.
func scriptsSearches() []scriptsSearch {
	var all []scriptsSearch
	for _, pattern := range []string{
		`\w+`, `\W+`, `\d+`, `\D+`, `\s+`, `\S+`, `\b\w`, `\w\b`, `\B\w\B`, `\b\S+\b`, `^\w+`, `\w+$`, `[\w-]+`, `[^\W\d_]+`, `[^\s\d]+`,
		`[\W\d]+`, `\bcaf\b`, `\bcaf\w\b`, `caf\w`, `caf.`, `\w+工具`, `\b工具\b`, `\b世界`, `世界\b`, `(?:\b|_)\w{2}\b`, `(\w)\b.\b(\w)`,
		`\b(?:мир|κόσμος|세계|世界)\b`, `\bk\b`, `\bs\b`, `[k-s]+`, `[α-ω]+`, `[а-я]+`, `\p{Lu}\w*`, `\p{Greek}+`, `\p{Han}+\b`, `[[:alpha:]]+`,
		`[[:word:]]+`, `\b.\b`, `^.`, `.$`, `ß`, `ss`, `i`, `ǆ`, `(?i:état)\b|\bSTRASSE`, `foo[\w-]*`, `\bfoo\b`, `\d\b`, `\B.`, `\b👍`, `👍\B`,
	} {
		all = append(all, scriptsSearch{Pattern: pattern}, scriptsSearch{Pattern: pattern, IgnoreCase: true})
	}
	for _, word := range []string{
		"caf", "café", "État", "état", "κόσμος", "λόγος", "мир", "ёлка", "كتاب", "العربية", "שלום", "नमस्ते", "हिन्दी", "ภาษาไทย", "世界", "工具", "ひらがな",
		"カタカナ", "세계", "한국어", "k", "s", "42", "٤٢", "foo", "foo_bar", "a", "_", "Ⓐ", "հայերեն", `\w+`, `\w`, `foo|世界`, "ss", "é", "e",
	} {
		for _, ignoreCase := range []bool{false, true} {
			literal := !strings.ContainsAny(word, `\|`)
			all = append(all, scriptsSearch{Pattern: word, Word: true, Literal: literal, IgnoreCase: ignoreCase})
		}
	}
	return all
}

// ripgrep returns the matches of ripgrep that are not empty.
func ripgrep(t *testing.T, rg string, search scriptsSearch) []string {
	args := []string{"--no-config", "--json"}
	for option, set := range map[string]bool{"-i": search.IgnoreCase, "-F": search.Literal, "-w": search.Word} {
		if set {
			args = append(args, option)
		}
	}
	out, err := exec.Command(rg, append(args, "-e", search.Pattern, scriptsText)...).Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("%v: %v", args, err)
	}
	matches := []string{}
	for line := range strings.Lines(string(out)) {
		var message struct {
			Type string `json:"type"`
			Data struct {
				Number     int `json:"line_number"`
				Submatches []struct {
					Match struct {
						Text string `json:"text"`
					} `json:"match"`
				} `json:"submatches"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			t.Fatal(err)
		}
		for _, match := range message.Data.Submatches {
			if message.Type == "match" && match.Match.Text != "" {
				matches = append(matches, fmt.Sprintf("%d:%s", message.Data.Number, match.Match.Text))
			}
		}
	}
	return matches
}

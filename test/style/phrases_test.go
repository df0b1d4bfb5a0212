package style

import (
	"regexp"
	"strings"
	"testing"
)

// phrase is wording that CONTRIBUTING.md replaces.
type phrase struct {
	pattern *regexp.Regexp
	instead string
	allowed []string // texts that contain the pattern and are good English
}

// phrases are matched against lower-case text in which white space is replaced by single spaces.
var phrases = []phrase{
	avoid(`\b(that|those) of\b`, "repeat the noun"),
	avoid(`\bno more\b`, "no longer", "no more than"),
	avoid(`\b(is|are|was|were) no\b`, "is not a", "there is no", "there are no", "there was no", "there were no", "is no longer", "are no longer", "was no longer", "were no longer", "is no more than", "are no more than", "is no less", "is no worse", "is no faster", "is no slower", "is no match", "are no other"),
	avoid(`\b(nobody|somebody|anybody|whoever)\b`, "name the role: caller, reader, operator"),
	avoid(`(^|[.:;] )who\b`, "name the role: caller, reader, operator"),
	avoid(`\b(is|are|was|were|be|been) told\b`, "is reported, is sent"),
	avoid(`\btells? (that|of)\b`, "reports"),
	avoid(`\bfaults?\b`, "error; violation (of a schema)", "page fault", "fault_read", "minor fault", "major fault", "segmentation fault", `json:"fault`),
	avoid(`\bfolders?\b`, "directory"),
	avoid(`\bon (its|their|the) way\b`, "running, in flight", "on the way to"),
	avoid(`\b(come|comes|came) to nothing\b`, "has no effect, is ignored"),
	avoid(`\b(nothing|none|nobody) but\b`, "only"),
	avoid(`\ball the same\b`, "still, anyway"),
	avoid(`\bin vain\b`, "name what was refused"),
	avoid(`\b(a|the|say|says|said) yes\b`, "approve, approval"),
	avoid(`\b(says?|said) no\b`, "deny, denial"),
	avoid(`\b(is|are) the most\b`, "max, limit, at most"),
	avoid(`\b(the )?most that\b`, "max, limit, at most", "at most that"),
	avoid(`\bbeside\b`, "next to, along with, in addition to"),
	avoid(`\bhand(s|ed)? on\b`, "passes, returns"),
	avoid(`\bin the place of\b`, "instead of, in place of"),
	avoid(`\b(is|are) for (\w+ )?\w+ to\b`, "name who decides: the caller decides"),
	avoid(`\bbut for\b`, "except"),
	avoid(`\bno good\b`, "invalid"),
	avoid(`\b(has|have) of (it|its|the|a|all)\b`, "say it with a verb"),
	avoid(`\bof nothing\b`, "say what is missing"),
	avoid(`\bthe like\b`, "name it"),
	avoid(`\bwithout (a|any) word\b`, "silently"),
	avoid(`\b(it|they|that|which|who) (is|are|was) meant\b`, "matches"),
	avoid(`\bif (it|they) must\b`, "name the condition"),
	avoid(`\bof (that|which) there (is|are)\b`, "repeat the noun"),
	avoid(`\bcounts? (for )?nothing\b`, "has no effect"),
}

// avoid returns the phrase that pattern matches, except within one of the allowed texts.
func avoid(pattern, instead string, allowed ...string) phrase {
	return phrase{regexp.MustCompile(pattern), instead, allowed}
}

// found returns the part of text that the phrase matches, or "".
func (p phrase) found(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, good := range p.allowed {
		text = strings.ReplaceAll(text, good, "|")
	}
	return p.pattern.FindString(text)
}

func TestPhrases(t *testing.T) {
	for _, tt := range []struct{ text, found string }{
		{"Nobody reads it", "nobody"},
		{"the digest is\nthat  of the module", "that of"},
		{"it is no longer there", ""},
		{"there are no such files, and this is no file", "is no"},
		{"a page fault is not a Fault", "fault"},
		{"at most that many", ""},
		{"put it in the folder", "folder"},
		{"put it in the directory", ""},
	} {
		got := ""
		checkPhrases(tt.text, func(found, _ string) { got = found })
		if got != tt.found {
			t.Errorf("%q: found %q, want %q", tt.text, got, tt.found)
		}
	}
}

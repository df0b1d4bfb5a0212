package style

import (
	"regexp"
	"strings"
)

// phrase is wording that CONTRIBUTING.md replaces.
type phrase struct {
	pattern *regexp.Regexp
	instead string
}

// phrases are matched against lower-case text whose white space is single blanks.
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

// avoid returns the phrase that pattern matches, except where one of the allowed texts
// surrounds the match. The first of texts is the wording to use instead; the rest are allowed.
func avoid(pattern string, texts ...string) phrase {
	p := phrase{pattern: regexp.MustCompile(pattern), instead: texts[0]}
	if len(texts) > 1 {
		quoted := make([]string, len(texts)-1)
		for i, text := range texts[1:] {
			quoted[i] = regexp.QuoteMeta(text)
		}
		p.pattern = regexp.MustCompile(`\b(?:` + strings.Join(quoted, "|") + `)s?\b|(` + pattern + `)`)
	}
	return p
}

// found returns the part of text that the phrase matches, or "".
func (p phrase) found(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, m := range p.pattern.FindAllStringSubmatchIndex(text, -1) {
		if p.pattern.NumSubexp() > 0 && strings.HasPrefix(p.pattern.String(), `\b(?:`) && m[2] < 0 {
			continue // an allowed text
		}
		return text[m[0]:m[1]]
	}
	return ""
}

package check

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// providers looks for parts of the schema that a definition for a provider cannot express. A rule
// that the description of the definition states is not a finding, because a model can follow it.
// What does not affect the arguments is none either.
func (s *subject) providers() {
	formats := make(map[string][]string) // by what is lost
	var order []string
	found := func(format llm.Format, message string) {
		if formats[message] == nil {
			order = append(order, message)
		}
		formats[message] = append(formats[message], string(format))
	}
	for _, format := range llm.Formats() {
		tools, err := llm.New(format, []catalogue.Info{s.info}, llm.Options{})
		if err != nil {
			found(format, "the tool has no definition: "+err.Error())
			continue
		}
		for _, l := range tools.Losses() {
			if l.Stated || l.Effect == llm.Untold || l.Effect == llm.Risky && l.What == "the description" {
				continue // subject.descriptions reports a long description
			}
			found(format, fmt.Sprintf("%s: %s (%s)", cmp.Or(l.Pointer, "the tool"), l.What, l.Effect))
		}
	}
	for _, message := range order {
		s.record(Finding{
			Kind: Provider, Message: message + " is lost in the definition for " + strings.Join(formats[message], ", "),
			Fix: "write the schema without it, or check it in the tool and say so in the description; wasmtool export prints the reason",
		})
	}
}

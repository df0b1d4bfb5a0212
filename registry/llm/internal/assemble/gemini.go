package assemble

import (
	"errors"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// geminiStream assembles a stream of streamGenerateContent. Each event is a response whose parts
// continue the parts of the events before, and whose other fields replace earlier ones. It reads
// the first candidate only, as package llm does.
type geminiStream struct {
	build
	top, candidate, content growing
}

// Gemini returns an assembler for streamGenerateContent.
func Gemini() Assembler { return &geminiStream{} }

func (s *geminiStream) add(event *jsontree.Value) error {
	for i := range event.Members {
		if m := &event.Members[i]; m.Name != "candidates" {
			s.set(&s.top, m.Name, &m.Value)
		}
	}
	if event.Member("promptFeedback").Member("blockReason").Text() != "" {
		s.complete = true
	}
	candidates := items(event.Member("candidates"))
	for i := range candidates {
		if index := candidates[i].Member("index"); !index.IsNull() && index.Literal != "0" {
			continue
		}
		if err := s.addCandidate(&candidates[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *geminiStream) addCandidate(candidate *jsontree.Value) error {
	s.candidate.kind = jsontree.Object
	for i := range candidate.Members {
		if m := &candidate.Members[i]; m.Name != "content" {
			s.set(&s.candidate, m.Name, &m.Value)
		}
	}
	if candidate.Member("finishReason").Text() != "" {
		s.complete = true
	}
	content := candidate.Member("content")
	if content == nil {
		return nil
	}
	for i := range content.Members {
		if m := &content.Members[i]; m.Name != "parts" {
			s.set(&s.content, m.Name, &m.Value)
		}
	}
	parts := items(content.Member("parts"))
	for i := range parts {
		if err := s.addPart(&parts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *geminiStream) addPart(part *jsontree.Value) error {
	if call := part.Member("functionCall"); call != nil {
		if is(call.Member("willContinue"), "true") || !call.Member("partialArgs").IsNull() {
			return errors.New("a call has partial arguments; remove streamFunctionCallArguments from the request")
		}
		s.call(Call{ID: call.Member("id").Text(), Name: call.Member("name").Text(), Arguments: jsonOf(call, "args")})
	}
	text, thought := part.Member("text").Text(), is(part.Member("thought"), "true")
	if thought {
		s.reasoning(text)
	} else {
		s.text(text)
	}
	parts := s.child(&s.content, "parts")
	if plainText(part.Names()) {
		if text == "" {
			return nil // the API refuses an empty part in a request
		}
		if n := len(parts.items); n > 0 {
			last := parts.items[n-1]
			if plainText(last.names) && thought == last.field("thought").is("true") {
				s.merge(last, "", part)
				return nil
			}
		}
	}
	s.replace(s.push(parts), part)
	return nil
}

// plainText reports whether a part with these fields can be joined with its neighbours. A part with
// a signature must stay alone, even if its text is empty, or the signature becomes invalid.
func plainText(names []string) bool {
	for _, name := range names {
		if name != "text" && name != "thought" {
			return false
		}
	}
	return true
}

func (s *geminiStream) body() *jsontree.Value {
	if s.candidate.kind == jsontree.Object {
		if parts := s.content.field("parts"); parts != nil {
			parts.kind = jsontree.Array
			if s.content.field("role").text() == "" {
				s.set(&s.content, "role", jsontree.NewString("model"))
			}
			*s.child(&s.candidate, "content") = s.content
		}
		*s.push(s.child(&s.top, "candidates")) = s.candidate
	}
	s.top.kind = jsontree.Object
	return s.top.value()
}

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
	candidate *growing // nil before the first
	// text is the last part, if it has text that the next part may continue, and thought is set if
	// the text is a thought.
	text    *growing
	thought bool
}

// Gemini returns an assembler for streamGenerateContent.
func Gemini() Assembler { return &geminiStream{} }

func (s *geminiStream) add(event *jsontree.Value) error {
	s.message.setAll(event, "candidates")
	candidate := first(event.Member("candidates"))
	reason := candidate.Member("finishReason").Text() + event.Member("promptFeedback").Member("blockReason").Text()
	s.complete = s.complete || reason != ""
	if candidate == nil {
		return nil
	}
	if s.candidate == nil {
		s.candidate = s.message.child("candidates").push()
	}
	s.candidate.setAll(candidate, "content")
	content := candidate.Member("content")
	if content == nil {
		return nil
	}
	s.candidate.child("content").setAll(content, "parts")
	parts := content.Member("parts").List()
	for i := range parts {
		if err := s.addPart(&parts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *geminiStream) addPart(part *jsontree.Value) error {
	if call := part.Member("functionCall"); call != nil {
		if isTrue(call.Member("willContinue")) || !call.Member("partialArgs").IsNull() {
			return errors.New("a call has partial arguments; remove streamFunctionCallArguments from the request")
		}
	}
	thought := isTrue(part.Member("thought"))
	s.showText(part.Member("text"), thought)
	switch plain := isPlainText(part); {
	case plain && part.Member("text").Text() == "": // the API refuses an empty part in a request
	case plain && s.text != nil && s.thought == thought:
		s.text.merge("", part)
	default:
		added := s.candidate.child("content").child("parts").push()
		added.replace(part)
		if !plain {
			added = nil
		}
		s.text, s.thought = added, thought
	}
	return nil
}

// isPlainText reports whether a part can be joined with its neighbours. A part with a signature
// must stay alone, even if its text is empty, or the signature becomes invalid.
func isPlainText(part *jsontree.Value) bool {
	for _, name := range part.Names() {
		if name != "text" && name != "thought" {
			return false
		}
	}
	return true
}

func (s *geminiStream) body() *jsontree.Value {
	if content := s.candidate.field("content"); content != nil {
		content.set("role", jsontree.NewString("model"))
	}
	return s.message.value()
}

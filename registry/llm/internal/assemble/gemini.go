package assemble

import (
	"errors"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// geminiStream assembles a stream of streamGenerateContent. Each event is a response whose parts
// continue the parts of the events before, and whose other fields replace earlier ones. It reads
// the first candidate only, as package llm does.
type geminiStream struct {
	build
	candidate *growing // nil before the first
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
	for _, part := range content.Member("parts").List() {
		call := part.Member("functionCall")
		if isTrue(call.Member("willContinue")) || !call.Member("partialArgs").IsNull() {
			return errors.New("a call has partial arguments; remove streamFunctionCallArguments from the request")
		}
		s.showText(part.Member("text"), isTrue(part.Member("thought")))
		// The API refuses an empty part in a request.
		if !isPlainText(part.Names()) || part.Member("text").Text() != "" {
			s.candidate.child("content").child("parts").add("parts", &part)
		}
	}
	return nil
}

// isPlainText reports whether a part with these fields can be joined with its neighbours. A part
// with a signature must stay alone, even if its text is empty, or the signature becomes invalid.
func isPlainText(fields []string) bool {
	return !slices.ContainsFunc(fields, func(name string) bool { return name != "text" && name != "thought" })
}

func (s *geminiStream) body() *jsontree.Value {
	if content := s.candidate.field("content"); content != nil {
		content.set("role", jsontree.NewString("model"))
	}
	return s.message.value()
}

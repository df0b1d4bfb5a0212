// Package llm speaks the tool calling of model providers: it turns tools into the
// definitions that a provider's API takes, within the subset of JSON Schema that the
// provider knows, and turns the calls in a model's message into calls of the registry
// and their results into the messages that the provider wants back.
//
//	tools, err := llm.New(llm.Anthropic, reg.Tools().List(catalogue.Filter{}), llm.Options{})
//	for {
//		reply := send(messages, tools.Definitions())
//		turn, err := tools.Answer(ctx, reg, reply, llm.AnswerOptions{})
//		messages = append(messages, turn.Messages...)
//		if len(turn.Calls) == 0 {
//			return turn.Text
//		}
//	}
//
// The tool's own schema stays the truth: what a provider cannot express is left out of the
// definition, told in its description and reported as a [Loss], and the registry checks
// every call against the whole of it all the same. What a definition had to change in a way
// that shows in the arguments (another name, a null that stands for "left out") is changed
// back before the call.
//
// The package has no network code and no dependency on a provider's SDK.
package llm

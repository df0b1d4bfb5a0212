// Package llm translates between tools and the APIs of model providers. It converts tools to
// the definitions that a provider's API accepts, within the subset of JSON Schema that the
// provider supports. It converts the calls in a model's message to calls of the registry, and
// the results to the messages that the provider expects.
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
// [ReadStream] turns a streamed response into the body that the loop reads.
//
// The tool's own schema remains authoritative. A rule that a provider cannot express is left out of
// the definition, stated in its description and reported as a [Loss]; the registry still checks
// every call against the full schema. Some changes show in the arguments: a different name, or a
// null that stands for an omitted field. [Tools.Calls] and [Tools.Answer] undo them.
//
// The package has no network code and no dependency on a provider's SDK.
package llm

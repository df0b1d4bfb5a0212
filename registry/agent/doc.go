// Package agent carries out a task with a model that calls tools. [Agent.Run] asks the model, makes
// the calls that it requests and asks again, until the model reports or a limit is reached:
//
//	a := agent.New(agent.Of(reg, "", registry.TenantOptions{}), model, agent.Options{})
//	result, err := a.Run(ctx, agent.Request{Task: "Find out why the tests fail."}, agent.Events{})
//	fmt.Println(result.Summary)
//
// Every call passes through the stages of the registry like the call of a person: policy, grants,
// approvals, loops, limits and receipts hold, and nothing that the model or a tool writes can
// change them. Questions go to the approver of the tenant.
//
// The package has no network code: package provider implements [Model] for the providers, and
// [OpenReplay] answers with a recording. The names in JSON, the events and the steps are those that
// user interfaces of other agents expect.
package agent

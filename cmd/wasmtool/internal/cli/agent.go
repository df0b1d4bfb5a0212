package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/agent"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

type agentOptions struct {
	toolOptions
	grantOptions
	request agent.Request
	model   config.Agent
	record  string
	replay  string
	json    bool
}

func newAgentCommand(a *app) *cobra.Command {
	o := agentOptions{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "agent --task TEXT",
		Short: "Let a model carry out a task with the tools",
		Long: `Let a model carry out a task with the tools. The steps appear on standard error as they
happen, and the model's report is printed on standard output.

The operator's file names the model in its section [agent]; --provider, --model and
--base-url replace what is there. Without a secret in the file, the key is the value of
ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or MISTRAL_API_KEY. Only wasmtool sees
the key: neither the model nor a tool does.

Every call is decided like a call of 'wasmtool serve': the model can use only what you
grant, and calls that need an approval are asked about at the terminal, or denied without
one. --auto-confirm answers yes instead; it lifts no denial. See docs/agent.md.

Exit status: 0 if the model reported; 1 if it reported that every call failed, or refused;
5 after --timeout or an interruption; 6 if a limit ended the run; 9 if the model failed.
Otherwise as in 'wasmtool --help'.`,
		Example: `  wasmtool agent --task 'Which packages have no tests?'
  wasmtool agent --workspace .:rw --task - < task.md
  wasmtool agent --provider openai --base-url http://localhost:11434/v1 --model qwen3 --task 'Summarise README.md'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.toolOptions.add(cmd)
	o.grantOptions.add(cmd, "")
	o.addWorkspace(cmd, ".")
	o.addSecrets(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.request.Task, "task", "", "carry out the task in `TEXT`; - reads it from standard input")
	flags.StringVar(&o.request.Context, "context", "", "tell the model `TEXT`, which it needs to know")
	flags.StringVar(&o.request.ExpectedOutcome, "expect", "", "say in `TEXT` what the report must contain")
	flags.StringVar(&o.model.Provider, "provider", "", "use the API of the provider `NAME`: "+strings.Join(config.AgentProviders(), ", "))
	flags.StringVar(&o.model.Model, "model", "", "use the model `NAME`")
	flags.StringVar(&o.model.BaseURL, "base-url", "", "use the compatible server at `URL`, such as http://localhost:11434/v1")
	flags.IntVar(&o.model.MaxTurns, "max-turns", 0, fmt.Sprintf("limit the messages of the model to `N` (default %d)", agent.DefaultMaxTurns))
	flags.IntVar(&o.model.MaxToolCalls, "max-tool-calls", 0, fmt.Sprintf("limit the calls to `N` (default %d)", agent.DefaultMaxToolCalls))
	flags.Int64Var(&o.model.MaxTokens, "max-tokens", 0, "limit the tokens of all requests and messages to `N` (default: no limit)")
	flags.DurationVar(&o.model.Timeout, "timeout", 0, fmt.Sprintf("limit the time to `DURATION`, such as 30m (default %v)", agent.DefaultTimeout))
	flags.BoolVar(&o.model.AutoConfirmDangerous, "auto-confirm", false, "run calls that would be asked about, except where a rule of the operator's file asks")
	flags.StringVar(&o.record, "record", "", "write the messages of the model to `FILE`")
	flags.StringVar(&o.replay, "replay", "", "take the messages of the model from `FILE`, which --record wrote, instead of asking a model")
	flags.BoolVar(&o.json, "json", false, "print the outcome and all steps as one JSON object")
	return cmd
}

func (o *agentOptions) run(cmd *cobra.Command) error {
	fromInput := o.request.Task == "-"
	if err := o.readTask(cmd); err != nil {
		return err
	}
	offer, err := o.offerWithWorkspace(cmd, o.getenv)
	if err != nil {
		return err
	}
	approver := o.approver(false, fromInput)
	stores, err := openForCalls(approver != nil)
	if err != nil {
		return err
	}
	defer closeStores(stores)
	options, err := o.standardOptions(standard.Options{
		Permissions: o.words, Sources: standard.Sources{OnLoadError: o.warn},
		Host: standard.Host{Asker: o.asker(fromInput), Jobs: new(process.Options)},
	})
	if err != nil {
		return err
	}
	if fromInput && slices.ContainsFunc(o.secrets, readsInput) {
		return usage(cmd, "--task and --secret cannot both read standard input; use --secret NAME=env:VAR or NAME=@FILE")
	}
	if err := o.secretSources(cmd, o.app, &options); err != nil {
		return err
	}
	o.showCompile(&options.Runtime, func() string { return "compiling a tool" })
	o.startServers(&options)
	options.Registry.Rules.Grantable = offer
	options.Registry.Rules.AskOutside = approver != nil
	options.Registry.Approvals = approvals(approver, stores)
	o.model.Private = o.model.BaseURL != "" // the person who writes the address means it
	settings := options.Config.Agent().With(o.model)
	model, err := o.openModel(cmd, options, settings)
	if err != nil {
		return err
	}
	if o.record != "" {
		file, err := os.Create(o.record)
		if err != nil {
			return usage(cmd, fmt.Sprintf("--record: %v", err))
		}
		defer file.Close() // a message that was not written has failed
		model = agent.Record(model, file)
	}
	tools, err := standard.New(options)
	if err != nil {
		return err
	}
	defer tools.Close()
	limits := standard.AgentOptions(settings)
	if !settings.AllowTask {
		limits.Exclude = []string{agent.TaskTool}
	}
	shown := &steps{Streams: o.Streams}
	a := agent.New(agent.Of(tools, "", registry.TenantOptions{}), model, limits)
	result, err := a.Run(cmd.Context(), o.request, agent.Events{OnStepStart: shown.begin, OnStepComplete: shown.complete})
	if o.json {
		return o.printWithError(agentView{result, result.Steps, jsonError(err)}, err)
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(o.Out, printable(result.Summary)); err != nil {
		return outputFailed(err)
	}
	return outcomeError(result)
}

// agentView is the JSON output of the command.
type agentView struct {
	agent.Result
	Steps []agent.Step `json:"steps"`
	Error *tool.Error  `json:"error,omitempty"`
}

// readTask checks the task and the limits. It reads the task from standard input if it is "-".
func (o *agentOptions) readTask(cmd *cobra.Command) error {
	if o.request.Task == "-" {
		text, err := readAll(cmd, "--task", "standard input", o.In)
		if err != nil {
			return err
		}
		o.request.Task = string(text)
	}
	for name, n := range map[string]int64{
		"max-turns": int64(o.model.MaxTurns), "max-tool-calls": int64(o.model.MaxToolCalls), "max-tokens": o.model.MaxTokens, "timeout": int64(o.model.Timeout),
	} {
		if n < 0 || n == 0 && cmd.Flags().Changed(name) {
			return usage(cmd, "--"+name+" must be more than 0")
		}
	}
	if strings.TrimSpace(o.request.Task) == "" {
		return usage(cmd, "which task? write --task TEXT, or --task - to read it from standard input")
	}
	return nil
}

// openModel returns the model of the settings, or the one that --replay names.
func (o *agentOptions) openModel(cmd *cobra.Command, options standard.Options, settings config.Agent) (agent.Model, error) {
	switch {
	case o.replay != "":
		file, err := os.Open(o.replay)
		if err != nil {
			return nil, usage(cmd, fmt.Sprintf("--replay: %v", err))
		}
		defer file.Close()
		model, err := agent.OpenReplay(file)
		if err != nil {
			return nil, usage(cmd, fmt.Sprintf("--replay %s: %v", o.replay, err))
		}
		return model, nil
	case settings.Provider == "" || settings.Model == "":
		return nil, usage(cmd, "which model? write --provider and --model, or a section [agent] in the operator's file")
	}
	return standard.NewModel(options, settings)
}

// outcomeError returns the error that determines the exit status of a run that ended without an
// error, or nil if the model reported. The report is already printed.
func outcomeError(r agent.Result) error {
	switch r.End {
	case agent.EndDone, agent.EndRefused:
		if r.Success {
			return nil
		}
		return errSilent{tool.Errorf(tool.CodeExecution, "%s", r.End)}
	}
	return errSilent{tool.Errorf(tool.CodeResourceExhausted, "%s", r.End)}
}

// steps shows the steps of a run on standard error.
type steps struct{ Streams }

func (s *steps) begin(step agent.Step) {
	if terminal.Is(s.Err) && step.Thinking != "" {
		fmt.Fprintf(s.Err, "%s\n", indent(printable(step.Thinking)))
	}
}

func (s *steps) complete(step agent.Step) {
	outcome := "ok"
	if step.Result != nil && step.Result.Title != "" && step.Result.Title != step.ToolName {
		outcome = step.Result.Title
	}
	if step.Status == agent.StepFailed {
		outcome = "failed: " + strings.TrimPrefix(step.Error, step.ToolName+": ")
	}
	fmt.Fprintf(s.Err, "wasmtool: %s %s: %s\n", oneLine(step.ToolName), plaintext.Excerpt(oneLine(string(step.Arguments)), 100), oneLine(outcome))
}

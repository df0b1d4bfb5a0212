package anthropictools_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anthropics/anthropic-sdk-go"

	anthropictools "github.com/wasmtool/wasmtool/adapters/anthropic"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// The program of docs/adapters.md. The provider here is a test server.
func Example() {
	provider := newProvider([]use{{"toolu_1", "read", `{"file_path": "notes.txt"}`}})
	defer provider.Close()
	ctx, client := context.Background(), provider.client()

	reg, err := standard.New(standard.Options{Workspace: "testdata"})
	if err != nil {
		log.Fatal(err)
	}
	defer reg.Close()
	tools, err := anthropictools.Tools(reg.Tenant("", registry.TenantOptions{}), anthropictools.Options{})
	if err != nil {
		log.Fatal(err)
	}
	runner := client.Beta.Messages.NewToolRunner(tools, anthropic.BetaToolRunnerParams{
		BetaMessageNewParams: anthropic.BetaMessageNewParams{
			Model: anthropic.ModelClaudeSonnet5, MaxTokens: 10_000,
			Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("What is in notes.txt?"))},
		},
		MaxIterations: 20,
	})
	message, err := runner.RunToCompletion(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(message.Content[0].Text)
	// Output:
	// The tools answered:      1	buy milk
}

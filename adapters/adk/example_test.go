package adktools_test

import (
	"context"
	"fmt"
	"log"

	"google.golang.org/adk/agent"
	"google.golang.org/adk/agent/llmagent"
	"google.golang.org/adk/model/gemini"
	"google.golang.org/adk/runner"
	"google.golang.org/adk/session"
	"google.golang.org/genai"

	adktools "github.com/wasmtool/wasmtool/adapters/adk"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// The program of docs/adapters.md. The provider here is a test server.
func Example() {
	provider := newProvider([]use{{"call_1", "read", `{"file_path": "notes.txt"}`}})
	defer provider.Close()
	ctx := context.Background()

	model, err := gemini.NewModel(ctx, "gemini-2.5-flash", provider.config())
	if err != nil {
		log.Fatal(err)
	}
	reg, err := standard.New(standard.Options{Workspace: "testdata"})
	if err != nil {
		log.Fatal(err)
	}
	defer reg.Close()
	tools, err := adktools.Tools(reg.Tenant("", registry.TenantOptions{}), adktools.Options{})
	if err != nil {
		log.Fatal(err)
	}
	helper, err := llmagent.New(llmagent.Config{Name: "helper", Model: model, Tools: tools})
	if err != nil {
		log.Fatal(err)
	}
	r, err := runner.New(runner.Config{AppName: "notes", Agent: helper, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		log.Fatal(err)
	}
	question := genai.NewContentFromText("What is in notes.txt?", genai.RoleUser)
	for event, err := range r.Run(ctx, "ann", "session-1", question, agent.RunConfig{}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.IsFinalResponse() {
			fmt.Println(event.Content.Parts[0].Text)
		}
	}
	// Output:
	// The tools answered:      1	buy milk
}

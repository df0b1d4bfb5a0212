package shellcommand_test

import (
	"fmt"

	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

func ExampleClassify() {
	settings := shellcommand.Settings{Allow: []string{"npm run *"}}
	for _, script := range []string{
		"git log --oneline | head -5",
		"npm run build",
		"git status && timeout 5 git push origin main",
		"git log; sudo rm x",
	} {
		result := shellcommand.Classify(script, settings)
		fmt.Printf("%v: %s\n", result.Effect, result.Reason)
	}
	// Output:
	// allow: it can only read
	// allow: "npm run build" is allowed by shell.allow "npm run *"
	// ask: "git push origin main" changes the repository, reaches the network, or runs an unknown subcommand
	// deny: "sudo rm x" is never allowed
}

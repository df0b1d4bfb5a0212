package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// BenchmarkStdioAgainstGo alternates calls over pipes and direct calls in Go. median-extra-ns/op
// is the cost of the protocol.
func BenchmarkStdioAgainstGo(b *testing.B) {
	w := newWorld(b, mcpserver.Options{})
	w.add(b, tool.Spec{Name: "echo", Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
		func(_ context.Context, in tool.Invocation) (tool.Result, error) {
			return tool.Result{Content: []tool.Content{tool.TextContent(string(in.Arguments))}}, nil
		})
	in, toServer, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	fromServer, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- w.server.ServeStdio(context.Background(), in, out) }()
	answers := bufio.NewReader(fromServer)
	ask := func(line string) string {
		if _, err := toServer.WriteString(line + "\n"); err != nil {
			b.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		return answer
	}
	ask(hello)
	const arguments = `{"text":"a text as it may come"}`
	var direct, stdio []time.Duration
	for i := 0; b.Loop(); i++ {
		begun := time.Now()
		if _, err := w.tools.Execute(b.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(arguments)}); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		answer := ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":%s}}`, i+1, arguments))
		stdio, direct = append(stdio, time.Since(middle)), append(direct, middle.Sub(begun))
		if !strings.Contains(answer, "as it may come") {
			b.Fatal(answer)
		}
	}
	b.ReportMetric(float64(median(direct)), "median-go-ns/op")
	b.ReportMetric(float64(median(stdio)), "median-stdio-ns/op")
	b.ReportMetric(float64(median(stdio)-median(direct)), "median-extra-ns/op")
	toServer.Close()
	if err := <-done; err != nil {
		b.Error(err)
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

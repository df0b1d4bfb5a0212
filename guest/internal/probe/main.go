// Command probe is a tool for the tests of the SDK. It works as a command and as a reactor, and
// performs the action that its argument names.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest/tools"
)

type input struct {
	Do    string      `json:"do"`
	Int   int64       `json:"int"`
	Exact json.Number `json:"exact"`
	Any   any         `json:"any"`
}

func main() {
	if os.Args[0] == "forgetful" { // the tool's name
		return // a tool whose author forgot to call Run
	}
	guest.Run(probe)
}

// calls is the number of calls that this instance has run.
var calls int

func probe(ctx context.Context, in input) (guest.Result, error) {
	calls++
	switch in.Do {
	case "echo":
		return guest.Result{Structured: in}, nil
	case "count":
		return guest.Result{Content: []guest.Content{guest.Text(fmt.Sprint(calls))}}, nil
	case "content":
		return guest.Result{Content: []guest.Content{guest.Text("<a> & b"), guest.Image([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "image/gif")}}, nil
	case "failf":
		return guest.Failf("no file %q", "a.txt"), nil
	case "error":
		return guest.Failf("not this"), errors.New("first line\nsecond line")
	case "panic":
		panic("oh no")
	case "wait":
		// Goroutines and timers must work in commands and in reactors.
		done := make(chan string)
		go func() {
			time.Sleep(time.Millisecond)
			done <- "waited"
		}()
		select {
		case text := <-done:
			return guest.Result{Content: []guest.Content{guest.Text(text)}}, nil
		case <-ctx.Done():
			return guest.Result{}, ctx.Err()
		}
	case "talk":
		for level, text := range []string{"fine", "half way", "odd\x1b[31m", "wrong"} {
			guest.Logf(guest.Level(level), "%s %d", text, level)
		}
		guest.Progress(1, 2, "one of two")
		guest.Progress(2, 2, "")
		if err := guest.Update("Counting", map[string]any{"files": 3, "names": []string{"<a>"}}); err != nil {
			return guest.Result{}, err
		}
		if err := guest.Update("", map[string]any{"files": make([]byte, 16<<10)}); err == nil {
			return guest.Result{}, errors.New("an update that is too large was accepted")
		}
		return guest.Result{Structured: guest.CurrentCall()}, nil
	case "call":
		r, err := tools.Call("echo", map[string]any{"text": "hello"})
		if err != nil {
			return guest.Result{}, err
		}
		_, err = tools.Call("other", nil)
		var refused *tools.HostError
		if !errors.As(err, &refused) {
			return guest.Result{}, fmt.Errorf("the tool other gives %w", err)
		}
		return guest.Result{Structured: []string{r.Text(), string(r.Structured), refused.Kind}}, nil
	case "bad":
		return guest.Result{Content: []guest.Content{guest.Image(nil, "image/png")}}, nil
	}
	return guest.Result{}, fmt.Errorf(`the argument "do" is %q, which is not an action of this tool`, in.Do)
}

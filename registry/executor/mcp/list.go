package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Limits of a server's list of tools. They allow more than any model accepts.
const (
	maxTools      = 1000
	maxPages      = 100
	maxDefinition = 256 << 10 // bytes of one tool
	maxList       = 16 << 20  // bytes of all tools
	maxCursor     = 4 << 10   // bytes of the cursor that names the next page
	maxProblems   = 100       // problems that are reported one by one
)

// errNoList is the error of a server whose response to tools/list is not a list of tools.
var errNoList = errors.New("its list of tools cannot be read")

// list requests all pages of the list of tools. Each string in problems names something in the list
// that was left out or changed.
func list(ctx context.Context, c *conn) (found []definition, problems []string, err error) {
	seen, cursor, size := make(map[string]bool), "", 0
	more := 0 // number of problems that exceed maxProblems
	problem := func(text string) {
		if len(problems) == maxProblems {
			more++
			return
		}
		problems = append(problems, text)
	}
	defer func() {
		if more > 0 {
			problems = append(problems, fmt.Sprintf("its list has %d more problems", more))
		}
	}()
	for page := 1; ; page++ {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, err := c.call(ctx, "tools/list", params, nil)
		if err != nil {
			return nil, nil, err
		}
		var result struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if json.Unmarshal(raw, &result) != nil {
			return nil, nil, errNoList
		}
		for _, one := range result.Tools {
			if size += len(one); len(found) == maxTools || size > maxList {
				problem(fmt.Sprintf("it has more than %d tools, or %d MiB of them; the rest is left out", maxTools, maxList>>20))
				return found, problems, nil
			}
			d, changes, err := parseDefinition(one)
			if err != nil {
				problem(err.Error())
				continue
			}
			for _, change := range changes {
				problem(change)
			}
			found = append(found, d)
		}
		switch {
		case result.Next == "":
			return found, problems, nil
		case seen[result.Next] || len(result.Next) > maxCursor:
			problem("its list repeats itself, or does not name its next page; the rest is left out")
			return found, problems, nil
		case page == maxPages:
			problem(fmt.Sprintf("its list has more than %d pages; the rest is left out", maxPages))
			return found, problems, nil
		}
		cursor = result.Next
		seen[cursor] = true
	}
}

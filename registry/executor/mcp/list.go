package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Bounds on the list of a server's tools. More than that no model could be given.
const (
	maxTools      = 1000
	maxPages      = 100
	maxDefinition = 256 << 10 // bytes of one tool
)

// errNoList is the error of a server that answers tools/list with something else.
var errNoList = errors.New("its list of tools cannot be read")

// list asks for all pages of the list of tools. What is left out of it is told in words.
func list(ctx context.Context, c *conn) (found []definition, problems []string, err error) {
	seen, cursor := make(map[string]bool), ""
	for page := 1; ; page++ {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, err := c.call(ctx, "tools/list", params, nil)
		if err != nil {
			return nil, nil, err
		}
		var answer struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if json.Unmarshal(raw, &answer) != nil {
			return nil, nil, errNoList
		}
		for _, one := range answer.Tools {
			if len(found) == maxTools {
				return found, append(problems, fmt.Sprintf("it has more than %d tools; the rest is left out", maxTools)), nil
			}
			d, err := parseDefinition(one)
			if err != nil {
				problems = append(problems, err.Error())
				continue
			}
			found = append(found, d)
		}
		switch {
		case answer.Next == "":
			return found, problems, nil
		case seen[answer.Next]:
			return found, append(problems, "its list repeats itself; the rest is left out"), nil
		case page == maxPages:
			return found, append(problems, fmt.Sprintf("its list has more than %d pages; the rest is left out", maxPages)), nil
		}
		cursor = answer.Next
		seen[cursor] = true
	}
}

package agent

import (
	"fmt"
	"slices"
	"strings"
)

// result returns the outcome of the run.
func (r *run) result() Result {
	out := Result{
		Summary: strings.TrimSpace(r.summary), FilesModified: []string{}, Errors: []string{},
		ToolCallCount: len(r.steps), ExecutionTimeMS: r.o.Now().Sub(r.started).Milliseconds(),
		End: r.end, Turns: r.turn, Usage: r.usage, Steps: r.steps,
	}
	var log strings.Builder
	for i, s := range r.steps {
		out.FilesModified = append(out.FilesModified, s.files...)
		outcome := strings.TrimPrefix(s.Error, s.ToolName+": ")
		if s.Status == StepFailed {
			out.Errors = append(out.Errors, s.ToolName+": "+outcome)
		} else if s.Result != nil {
			outcome = brief(s.Result.Title)
		}
		fmt.Fprintf(&log, "%d. %s %s: %s: %s\n", i+1, s.ToolName, brief(string(s.Arguments)), s.Status, outcome)
	}
	slices.Sort(out.FilesModified)
	out.FilesModified = slices.Compact(out.FilesModified)
	failed := len(out.Errors)
	out.Errors = append(out.Errors, r.errors...)
	out.Details = strings.TrimSpace(log.String())
	reported := out.Summary != "" && r.err == nil && r.end != EndRefused
	out.Success = reported && (failed == 0 || failed < len(r.steps))
	if out.Summary == "" {
		out.Summary = fmt.Sprintf("The agent ended without a report (%s) after %d calls, of which %d failed.", r.end, len(r.steps), failed)
	}
	return out
}

package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestCodesHaveNameAndRecoverable(t *testing.T) {
	want := map[Code]string{
		CodeExecution: "ToolExecutionError recoverable", CodeUsage: "UsageError recoverable",
		CodeInvalidArgument: "InvalidArgumentError recoverable", CodePermissionDenied: "PermissionDeniedError",
		CodeApprovalRequired: "PermissionDeniedError", CodeTimeout: "TimeoutError recoverable", CodeCancelled: "AbortError",
		CodeTrap: "ToolExecutionError", CodeBadGuest: "ToolExecutionError", CodeResourceExhausted: "ToolExecutionError",
		CodeInvalidOutput: "ToolExecutionError", CodeNotFound: "ToolNotFoundError recoverable", CodeDisabled: "ToolDisabledError",
		CodeInvalidManifest: "InvalidManifestError", CodeInvalidModule: "InvalidModuleError", CodeNetwork: "NetworkError",
		CodeAuthentication: "AuthenticationError", CodeRateLimited: "RateLimitError", CodeServer: "ServerError", CodeInternal: "InternalError",
	}
	seen := make(map[Code]bool)
	for _, code := range Codes() {
		got := code.Name()
		if code.Recoverable() {
			got += " recoverable"
		}
		if got != want[code] {
			t.Errorf("%s: got %q, want %q", code, got, want[code])
		}
		if seen[code] {
			t.Errorf("%s is listed twice", code)
		}
		seen[code] = true
	}
	if len(seen) != len(want) || len(codeFacts) != len(want) {
		t.Errorf("%d codes are listed and %d have facts, want %d", len(seen), len(codeFacts), len(want))
	}
	if got := Code("nonsense"); got.Name() != "InternalError" || got.Recoverable() {
		t.Errorf("an unknown code: %s", got.Name())
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	err := fmt.Errorf("around: %w", (&Error{Code: CodeNetwork, Tool: "t", Message: "no answer"}).WithCause(fs.ErrNotExist))
	var e *Error
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) || e.Code != CodeNetwork || CodeOf(err) != CodeNetwork {
		t.Errorf("got %v", err)
	}
	if e.Error() != "t: no answer" || (&Error{Message: "m"}).Error() != "m" {
		t.Errorf("got %q", e.Error())
	}
	if CodeOf(nil) != "" || CodeOf(fs.ErrNotExist) != CodeInternal {
		t.Error("an error without a code is internal, and nil has none")
	}
}

func TestErrorViews(t *testing.T) {
	e := (&Error{Code: CodeInvalidArgument, Tool: "post", Message: "url is missing", Recoverable: true}).WithCause(errors.New("/host/path"))
	input := `{"n":9007199254740993,"max_tokens":5,"Api-Key":"k","auth":{"access_token":"t","list":[{"PASSWORD":1234}],"user":"u"},"secret":null,"headers":{"Cookie":["c"]}}`
	view, err := json.Marshal(e.View(json.RawMessage(input)))
	want := `{"name":"InvalidArgumentError","message":"url is missing","details":{"toolName":"post","input":` +
		`{"Api-Key":"[redacted]","auth":{"access_token":"[redacted]","list":[{"PASSWORD":"[redacted]"}],"user":"u"},` +
		`"headers":{"Cookie":"[redacted]"},"max_tokens":5,"n":9007199254740993,"secret":null}},"recoverable":true}`
	if err != nil || string(view) != want {
		t.Errorf("got  %s, %v\nwant %s", view, err, want)
	}
	for _, input := range []string{"", "{", `{"password":"x"} {}`} {
		if got := e.View(json.RawMessage(input)).Details.Input; got != nil {
			t.Errorf("%q: got %s", input, got)
		}
	}
	// Only a cause that is an Error is shown: other causes may have host paths and secrets.
	inner := (&Error{Code: CodeNetwork, Tool: "get", Message: "no answer"}).WithCause(errors.New("/host/deeper"))
	for _, tt := range []struct {
		cause error
		want  string
	}{
		{nil, ""},
		{errors.New("/host/path"), ""},
		{inner, "get: no answer"},
		{fmt.Errorf("/host/path: %w", inner), "get: no answer"},
		{errors.Join(errors.New("/host/path"), inner), "get: no answer"},
	} {
		if got := (&Error{Code: CodeTimeout, Message: "too late"}).WithCause(tt.cause).View(nil).Details.Cause; got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.cause, got, tt.want)
		}
	}
	failure, err := json.Marshal(e.Failure())
	if want := `{"status":"error","tool":"post","error":"url is missing"}`; err != nil || string(failure) != want {
		t.Errorf("got %s, %v", failure, err)
	}
}

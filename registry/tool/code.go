package tool

import "cmp"

// Name is the name that other systems have for errors of this code, such as
// "ToolNotFoundError". Codes without one of their own share "ToolExecutionError"; a code
// that is none has "InternalError".
func (c Code) Name() string {
	return cmp.Or(codeFacts[c].name, codeFacts[CodeInternal].name)
}

// Recoverable tells that whoever makes a call may always get further after an error of
// this code by other arguments, another tool or asking for less. Errors of other codes say
// so themselves, where it holds for them.
func (c Code) Recoverable() bool { return codeFacts[c].recoverable }

// codeFacts is what holds for all errors of a code.
var codeFacts = map[Code]struct {
	name        string
	recoverable bool
}{
	CodeExecution:         {"ToolExecutionError", true},
	CodeUsage:             {"UsageError", true},
	CodeInvalidArgument:   {"InvalidArgumentError", true},
	CodePermissionDenied:  {"PermissionDeniedError", false},
	CodeApprovalRequired:  {"PermissionDeniedError", false},
	CodeTimeout:           {"TimeoutError", true},
	CodeCancelled:         {"AbortError", false},
	CodeTrap:              {"ToolExecutionError", false},
	CodeBadGuest:          {"ToolExecutionError", false},
	CodeResourceExhausted: {"ToolExecutionError", false},
	CodeInvalidOutput:     {"ToolExecutionError", false},
	CodeNotFound:          {"ToolNotFoundError", true},
	CodeDisabled:          {"ToolDisabledError", false},
	CodeInvalidManifest:   {"InvalidManifestError", false},
	CodeInvalidModule:     {"InvalidModuleError", false},
	CodeNetwork:           {"NetworkError", false},
	CodeAuthentication:    {"AuthenticationError", false},
	CodeRateLimited:       {"RateLimitError", false},
	CodeServer:            {"ServerError", false},
	CodeInternal:          {"InternalError", false},
}

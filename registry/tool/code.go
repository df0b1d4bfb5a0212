package tool

import "cmp"

// Name returns the name that other systems use for errors with this code, such as
// "ToolNotFoundError". Codes without such a name share "ToolExecutionError". An unknown code has
// "InternalError".
func (c Code) Name() string {
	return cmp.Or(codeFacts[c].name, codeFacts[CodeInternal].name)
}

// Recoverable reports whether the caller can recover from every error with this code: by changing
// the arguments, calling another tool or asking for less. If it returns false, the caller may still
// be able to recover from a single error; see [Error.Recoverable].
func (c Code) Recoverable() bool { return codeFacts[c].recoverable }

// codeFacts holds what is true of all errors with a code.
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

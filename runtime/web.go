package runtime

import (
	"encoding/json"
	"errors"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// maxRequestBody bounds what a guest sends in one request, in bytes; what the client
// allows may be less.
const maxRequestBody = 10 << 20

// maxSecretName is more than the name of any secret has, in bytes.
const maxSecretName = 256

// web adds HTTP and what goes with it.
func (x exporter) web() {
	x.add("http_request", func(s *callState, mem api.Memory, stack []uint64) {
		head, body := guestRange(s, mem, stack), guestRange(s, mem, stack[2:])
		stack[0] = s.attempt(func() (uint32, error) {
			w := s.call.Bindings.Web
			switch {
			case w == nil || s.isWarmUp:
				return 0, errNoWeb
			case len(body) > maxRequestBody:
				return 0, errBodyTooLarge
			}
			// The guest waits, so its memory stays as it is.
			return w.Request(s.hostContext(), head, body)
		})
	}, i32, i32, i32, i32)
	x.add("http_head", func(s *callState, mem api.Memory, stack []uint64) {
		buffer := guestRange(s, mem, stack[1:])
		stack[0] = s.attempt(func() (uint32, error) {
			head, err := s.web().Head(api.DecodeU32(stack[0]))
			copy(buffer, head)
			return uint32(len(head)), err
		})
	}, i32, i32, i32)
	x.add("http_read", func(s *callState, mem api.Memory, stack []uint64) {
		buffer := guestRange(s, mem, stack[1:])
		stack[0] = s.attempt(func() (uint32, error) {
			n, err := s.web().Read(api.DecodeU32(stack[0]), buffer)
			return uint32(n), err
		})
	}, i32, i32, i32)
	x.add("http_close", func(s *callState, _ api.Memory, stack []uint64) {
		stack[0] = s.attempt(func() (uint32, error) { return 0, s.web().CloseResponse(api.DecodeU32(stack[0])) })
	}, i32)
	x.add("secret_exists", func(s *callState, mem api.Memory, stack []uint64) {
		name := guestRange(s, mem, stack)
		exists := !s.isWarmUp && len(name) <= maxSecretName && s.call.Bindings.SecretExists(string(name))
		if stack[0] = 0; exists {
			stack[0] = 1
		}
	}, i32, i32)
	x.add("fault_read", func(s *callState, mem api.Memory, stack []uint64) {
		var text []byte
		if s.fault != nil {
			text, _ = json.Marshal(s.fault) // of texts and a truth value, it cannot fail
		}
		stack[0] = handOver(text, guestRange(s, mem, stack))
	}, i32, i32)
}

// noWeb is the HTTP of calls that have none.
var noWeb = new(hostfuncs.Web)

// web is the HTTP of the call; one without responses where there is none.
func (s *callState) web() *hostfuncs.Web {
	if w := s.call.Bindings.Web; w != nil && !s.isWarmUp {
		return w
	}
	return noWeb
}

// What no client is asked for.
var (
	errNoWeb        = notGranted("no request may be sent; the manifest asks for it with [[permissions.net]], and only the operator grants it")
	errBodyTooLarge = &hostfuncs.Fault{Code: hostfuncs.FaultTooMuch, Kind: "too_large", Message: "the body of the request is too large"}
)

func notGranted(message string) *hostfuncs.Fault {
	return &hostfuncs.Fault{Code: hostfuncs.FaultDenied, Kind: "denied", Message: message}
}

// attempt does what a guest asks for, and returns what the guest gets: a number that is
// not negative, or the code of a fault, which fault_read then tells about. A guest whose
// call is over meanwhile ends here.
func (s *callState) attempt(do func() (uint32, error)) uint64 {
	n, err := do()
	if !s.mayGoOn() {
		panic(sys.NewExitError(stopped))
	}
	if err == nil {
		return api.EncodeU32(n)
	}
	var fault *hostfuncs.Fault
	if !errors.As(err, &fault) {
		fault = &hostfuncs.Fault{Code: hostfuncs.FaultUnavailable, Kind: "unavailable", Message: "it failed inside wasmtool"}
	}
	s.fault = fault
	return api.EncodeI32(int32(fault.Code))
}

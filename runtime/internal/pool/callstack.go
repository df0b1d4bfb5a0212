package pool

import "reflect"

// maxIdleStack is the largest call stack in bytes with which a command may wait. Call stacks are on
// the host's heap.
const maxIdleStack = 1 << 20

// callStack is the call stack of an engine function or of a snapshot. Its size determines how deep
// a guest can call and how much memory a waiting instance takes. The engine does not export the
// stack, so callStack has a private field of its owner. A test fails if the field is missing. The
// zero value has no stack.
type callStack struct{ field reflect.Value }

// callStackOf finds the call stack of an owner. Where the engine has no such stack, as in its
// interpreter, the result is the zero value.
func callStackOf(owner any) callStack {
	v := reflect.ValueOf(owner)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return callStack{}
	}
	stack := v.Elem().FieldByName("stack")
	if !stack.IsValid() || stack.Kind() != reflect.Slice || stack.Type().Elem().Kind() != reflect.Uint8 {
		return callStack{}
	}
	return callStack{stack}
}

// bytes returns the current stack, or nil.
func (s callStack) bytes() []byte {
	if !s.field.IsValid() {
		return nil
	}
	return s.field.Bytes()
}

// size returns the size of the current stack in bytes.
func (s callStack) size() int { return len(s.bytes()) }

package pool

import "reflect"

// maxIdleStack is the largest call stack in bytes with which a command may wait. Call stacks are on
// the host's heap.
const maxIdleStack = 1 << 20

// callStack returns the call stack of an engine function or of a snapshot. It returns nil where the
// engine has no such stack, as in its interpreter. The size of the stack determines how deep a
// guest can call and how much memory a waiting instance takes. The engine does not export the
// stack, so callStack reads a private field. A test fails if the field is missing.
func callStack(owner any) []byte {
	v := reflect.ValueOf(owner)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	stack := v.Elem().FieldByName("stack")
	if !stack.IsValid() || stack.Kind() != reflect.Slice || stack.Type().Elem().Kind() != reflect.Uint8 {
		return nil
	}
	return stack.Bytes()
}

package pool

import "reflect"

// maxIdleStack is the largest call stack, in bytes, with which a command waits. Stacks
// lie on the heap of the host.
const maxIdleStack = 1 << 20

// callStack returns the call stack that a function of the engine has, or a snapshot of
// it, or nil where the engine has none such, as its interpreter. How deep a guest can
// go depends on how large it is, and so does what an instance takes that waits, but the
// engine does not tell: this reads a field of its own. A test fails when it is not there.
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

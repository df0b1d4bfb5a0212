package rewrite

import (
	"fmt"
	"strings"
)

// valueType is a value type. The low byte is its code in the binary format. For references to a
// concrete function type, the upper half is the index of that type.
type valueType uint64

const (
	typeI32    valueType = 0x7f
	typeI64    valueType = 0x7e
	typeF32    valueType = 0x7d
	typeF64    valueType = 0x7c
	typeV128   valueType = 0x7b
	typeFunc   valueType = 0x70
	typeExtern valueType = 0x6f
	typeExn    valueType = 0x69

	flagNonNull  valueType = 1 << 8
	flagConcrete valueType = 1 << 9
)

// Codes that introduce the long form of a reference type.
const (
	refNull    = 0x63
	refNonNull = 0x64
)

func (t valueType) isRef() bool {
	code := t & 0xff
	return code == typeFunc || code == typeExtern || code == typeExn
}

// String returns the type as in the text format.
func (t valueType) String() string {
	s := typeNames[t&0xff]
	switch {
	case s == "":
		return fmt.Sprintf("type 0x%x", uint64(t))
	case !t.isRef():
		return s
	case t&flagConcrete != 0 && t&flagNonNull != 0:
		return fmt.Sprintf("(ref %d)", t>>32)
	case t&flagConcrete != 0:
		return fmt.Sprintf("(ref null %d)", t>>32)
	case t&flagNonNull != 0:
		return "(ref " + s + ")"
	}
	return s + "ref"
}

var typeNames = [256]string{
	typeI32: "i32", typeI64: "i64", typeF32: "f32", typeF64: "f64", typeV128: "v128",
	typeFunc: "func", typeExtern: "extern", typeExn: "exn",
}

// funcType is the type of a function.
type funcType struct{ params, results []valueType }

// String returns the signature as "(i32, i64) -> f64".
func (f funcType) String() string { return signature(f.params, f.results) }

// Signature returns the type of a function in the form of Import.Signature. The parameters are
// value types as in the binary format.
func Signature(params, results []byte) string { return signature(params, results) }

func signature[T byte | valueType](params, results []T) string {
	s := "(" + joinTypes(params) + ") -> "
	if len(results) == 1 {
		return s + joinTypes(results)
	}
	return s + "(" + joinTypes(results) + ")"
}

func joinTypes[T byte | valueType](types []T) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = valueType(t).String()
	}
	return strings.Join(names, ", ")
}

// valueType reads a value type.
func (r *reader) valueType() valueType {
	start := r.pos
	c := r.byte()
	t := valueType(c)
	switch t {
	case typeI32, typeI64, typeF32, typeF64:
	case typeV128:
		r.seen |= featVector
	case typeFunc, typeExtern:
		r.seen |= featReferences
	case typeExn:
		r.seen |= featExceptions
	case refNull, refNonNull:
		r.seen |= featTypedRefs
		return r.fullRefType(c)
	default:
		r.fail(start, Unsupported, "unknown value type 0x%x", c)
		return 0
	}
	return t
}

// fullRefType reads the rest of the long form of a reference type.
func (r *reader) fullRefType(code byte) valueType {
	t := r.heapType()
	if code == refNonNull {
		t |= flagNonNull
	}
	return t
}

// heapType reads a heap type and returns the nullable reference to it.
func (r *reader) heapType() valueType {
	start := r.pos
	switch h := r.signed(33); h {
	case -0x10:
		return typeFunc
	case -0x11:
		return typeExtern
	case -0x17:
		return typeExn
	default:
		if h < 0 || h >= maxTypes {
			r.fail(start, Unsupported, "unknown heap type %d", h)
			return 0
		}
		return typeFunc | flagConcrete | valueType(h)<<32
	}
}

// refType reads a reference type.
func (r *reader) refType() valueType {
	start, seen := r.pos, r.seen
	t := r.valueType()
	if t == typeFunc {
		r.seen = seen // tables of functions were in WASM 1.0 already
	}
	if r.err == nil && !t.isRef() {
		r.fail(start, Malformed, "%s is not a reference type", t)
	}
	return t
}

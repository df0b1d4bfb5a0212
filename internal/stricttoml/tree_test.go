package stricttoml

import (
	"testing"
)

func TestJSONIsExact(t *testing.T) {
	for _, tc := range []struct{ toml, want string }{
		{"x = 9_007_199_254_740_993", `{"x":9007199254740993}`},
		{"x = +5", `{"x":5}`},
		{"x = -0", `{"x":0}`},
		{"x = 0xDEAD_beef", `{"x":3735928559}`},
		{"x = 0o17", `{"x":15}`},
		{"x = 0b1111_0000", `{"x":240}`},
		{"x = 0x7fffffffffffffff", `{"x":9223372036854775807}`},
		{"x = -9223372036854775808", `{"x":-9223372036854775808}`},
		{"x = 0.10", `{"x":0.10}`},
		{"x = +1.5", `{"x":1.5}`},
		{"x = 3.141592653589793238462643383279", `{"x":3.141592653589793238462643383279}`},
		{"x = 1e+06", `{"x":1e+06}`},
		{"x = 1_0.2_5E-2", `{"x":10.25E-2}`},
		{"x = 5e-324", `{"x":5e-324}`},
		{"x = [true, false, [], {}]", `{"x":[true,false,[],{}]}`},
		{"z = 1\na = 2\nm = 3", `{"z":1,"a":2,"m":3}`},
		{"b.y = 1\na = 1\nb.x = 2", `{"b":{"y":1,"x":2},"a":1}`},
		{"[[t]]\nb = 1\n[[t]]\n[t.u]\na = 2", `{"t":[{"b":1},{"u":{"a":2}}]}`},
		{`x = "<&>\u2028\n\"é"`, `{"x":"<&>\u2028\n\"é"}`},
		{`"a.b" = {"" = 1}`, `{"a.b":{"":1}}`},
	} {
		c := New("x.toml", []byte(tc.toml), Format{MaxBytes: 1 << 20})
		if err := c.Err(); err != nil {
			t.Errorf("%s: %v", tc.toml, err)
			continue
		}
		if got, ok := c.JSON(Place{}, c.Root()); !ok || string(got) != tc.want {
			t.Errorf("%s\ngives %s, want %s", tc.toml, got, tc.want)
		}
	}
}

func TestPosition(t *testing.T) {
	doc := newDocument([]byte("é = 1\r\n\tx\n"))
	for _, tc := range []struct{ offset, line, column int }{
		{WholeFile, 0, 0},
		{0, 1, 1},
		{2, 1, 2}, // after the two bytes of é
		{8, 2, 1},
		{9, 2, 2}, // a tab is one column
		{11, 3, 1},
		{99, 3, 1},
	} {
		if line, column := doc.position(tc.offset); line != tc.line || column != tc.column {
			t.Errorf("position(%d) = %d:%d, want %d:%d", tc.offset, line, column, tc.line, tc.column)
		}
	}
}

package job

import "testing"

func TestSizes(t *testing.T) {
	if got := len(Input()); got != 67 {
		t.Errorf("the input has %d bytes, want 67", got)
	}
	if got := len(Large()); got < 100_000 || got > 120_000 {
		t.Errorf("the large input has %d bytes", got)
	}
}

func TestCheck(t *testing.T) {
	const answer = `{"lines":1,"words":11,"bytes":56,"letters":44,"longest":5}`
	for _, test := range []struct {
		name, input, output string
		right               bool
	}{
		{"right", string(Input()), answer, true},
		{"with a line feed", string(Input()), answer + "\n", true},
		{"wrong", string(Input()), `{"lines":1,"words":10,"bytes":56,"letters":44,"longest":5}`, false},
		{"nothing", string(Input()), "", false},
		{"other input", `{"text":"a"}`, answer, false},
		{"no text", `{}`, answer, false},
		{"no JSON", `{`, answer, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := Check([]byte(test.input), []byte(test.output)); (err == nil) != test.right {
				t.Errorf("got %v", err)
			}
		})
	}
}

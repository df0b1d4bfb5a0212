package guest

import (
	"context"
	"io"
	"strings"
)

// A host may save the memory of a program after its start and begin every call with a copy. Work
// that the start does not do is repeated in each call: building the tables of the decoder and
// encoder, starting the first goroutines, growing the heap. The start therefore calls a tool that
// does nothing. The call is the initialiser of a variable, because only initialisers run this
// early.
var _ = serve(context.Background(), streams{
	input:  strings.NewReader(`{"text":"a","count":1,"ratio":1.5,"set":true,"list":["b"],"any":{"c":2}}`),
	output: io.Discard, failure: io.Discard, log: io.Discard,
}, func(_ context.Context, in sample) (sample, error) { return in, nil })

// sample has fields of the types that arguments and results commonly have.
type sample struct {
	Text  string         `json:"text"`
	Count int            `json:"count"`
	Ratio float64        `json:"ratio"`
	Set   bool           `json:"set"`
	List  []string       `json:"list"`
	Any   map[string]any `json:"any"`
}

package guest

import (
	"context"
	"io"
	"strings"
)

// A host may save the memory of a program after its start and begin every call with a copy. Work
// that is not done by then is repeated in each call: building the tables of the decoder and
// encoder, starting the first goroutines, growing the heap. So the start includes a call of a tool
// that does nothing. The call initialises a variable, because only initialisers run so early.
var _ = serve(context.Background(), streams{
	input:  strings.NewReader(`{"text":"a","count":1,"ratio":1.5,"set":true,"list":["b"],"any":{"c":2}}`),
	output: io.Discard, failure: io.Discard, log: io.Discard,
}, func(_ context.Context, in sample) (sample, error) { return in, nil })

// sample has fields of the usual types of arguments and results.
type sample struct {
	Text  string         `json:"text"`
	Count int            `json:"count"`
	Ratio float64        `json:"ratio"`
	Set   bool           `json:"set"`
	List  []string       `json:"list"`
	Any   map[string]any `json:"any"`
}

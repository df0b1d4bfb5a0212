package guest

import (
	"context"
	"io"
	"strings"
)

// A host that saves a program after its start and gives every call a copy of that pays
// for the rest in each call: the decoder's and the encoder's tables, the first
// goroutines, the growth of the heap. So one call of a tool that does nothing is part of
// the start. It is a variable because packages have nothing else that runs then.
var _ = serve(context.Background(), streams{
	input:  strings.NewReader(`{"text":"a","count":1,"ratio":1.5,"set":true,"list":["b"],"any":{"c":2}}`),
	output: io.Discard, failure: io.Discard, log: io.Discard,
}, func(_ context.Context, in sample) (sample, error) { return in, nil })

// sample has fields of the types that arguments and results are made of.
type sample struct {
	Text  string         `json:"text"`
	Count int            `json:"count"`
	Ratio float64        `json:"ratio"`
	Set   bool           `json:"set"`
	List  []string       `json:"list"`
	Any   map[string]any `json:"any"`
}

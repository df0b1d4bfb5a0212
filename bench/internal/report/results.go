// Package report turns measurements into tables, bars, plots and JSON.
package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/measure"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Results are the results of one run. Measurements that were not requested are empty.
type Results struct {
	Machine Machine `json:"machine"`
	// Quick reports whether too little was measured to quote the figures.
	Quick      bool                 `json:"quick"`
	Calls      []measure.Row        `json:"calls"`
	Metering   []measure.Price      `json:"metering"`
	Programs   []measure.Price      `json:"programs"`
	Deadlines  []measure.Overshoot  `json:"deadlines"`
	Loads      []measure.Load       `json:"loads"`
	Memory     []measure.Memory     `json:"memory"`
	Starts     []measure.Start      `json:"starts"`
	FirstCalls []measure.FirstCall  `json:"first_calls"`
	Files      []measure.FileJob    `json:"files"`
	Commands   []measure.CommandJob `json:"commands"`
	Scripts    []measure.Script     `json:"scripts"`
	Code       measure.Code         `json:"code"`
	Parts      []measure.CallCost   `json:"parts"`
	Bars       []Bar                `json:"bars"`
}

// WriteJSON writes the results as JSON.
func (r Results) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// leftOut is shown as the reason where a figure was not requested.
const leftOut = "excluded by --only"

// call returns the median of a peer in the comparison for a guest, or 0 and the reason why nothing
// was measured.
func (r Results) call(guest string, n peer.Name) (time.Duration, string) {
	for _, row := range r.Calls {
		if row.For == guest && row.Peer == n {
			return row.P50, row.Missing
		}
	}
	return 0, leftOut
}

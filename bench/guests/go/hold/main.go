// Command hold does the job and then sleeps before it writes its answer. The clock that the host
// provides decides when it wakes, so that the host can keep the instance alive.
package main

import (
	"context"
	"time"

	"github.com/wasmtool/wasmtool/bench/guests/go/count"
	"github.com/wasmtool/wasmtool/guest"
)

func main() {
	guest.Run(func(_ context.Context, in count.Input) (count.Answer, error) {
		answer, err := count.Count(in)
		time.Sleep(time.Second)
		return answer, err
	})
}

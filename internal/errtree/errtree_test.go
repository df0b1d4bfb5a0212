package errtree_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmtool/wasmtool/internal/errtree"
)

func TestFrom(t *testing.T) {
	exit := sys.NewExitError(3)
	for name, tt := range map[string]struct {
		err  error
		want int
	}{
		"none":         {nil, 0},
		"others":       {fmt.Errorf("a: %w", errors.New("b")), 0},
		"itself":       {exit, 1},
		"wrapped":      {fmt.Errorf("a: %w", fmt.Errorf("b: %w", exit)), 1},
		"among others": {errors.Join(errors.New("a"), fmt.Errorf("b: %w, %w", exit, exit)), 2},
		"its text":     {errors.New(exit.Error()), 0},
	} {
		if got := errtree.From(tt.err, errtree.Engine); len(got) != tt.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

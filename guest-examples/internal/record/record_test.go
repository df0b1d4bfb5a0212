package record_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
)

func TestChange(t *testing.T) {
	const key = "TestChange"
	count := func(n *int) error { *n++; return nil }
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			if _, err := record.Change(record.Host(), key, count); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if _, err := record.Change(record.Host(), key, func(n *int) error { *n = 0; return errors.New("no") }); err == nil || err.Error() != "no" {
		t.Errorf("got %v", err)
	}
	if got, err := record.Read[int](record.Host(), key); got != 50 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	if got, err := record.Read[string](record.Host(), "none"); got != "" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := record.Read[string](record.Host(), key); err == nil {
		t.Error("a number was read as a text")
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	failing := record.Store{
		Get:  func(string) ([]byte, error) { return []byte("1"), nil },
		Swap: func(string, []byte, []byte) (bool, error) { return false, broken },
	}
	keep := func(*int) error { return nil }
	if _, err := record.Change(failing, "k", keep); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	failing.Swap = func(string, []byte, []byte) (bool, error) { return false, nil }
	if _, err := record.Change(failing, "k", keep); err == nil {
		t.Error("a change that was not made was reported as made")
	}
	failing.Get = func(string) ([]byte, error) { return nil, broken }
	if _, err := record.Read[int](failing, "k"); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

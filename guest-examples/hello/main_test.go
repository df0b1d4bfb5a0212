package main

import (
	"context"
	"strings"
	"testing"
)

func TestHello(t *testing.T) {
	tests := []struct {
		name string
		in   input
		want string
		err  string
	}{
		{"once", input{Name: "World"}, "Hello, World!\n", ""},
		{"more than once", input{Name: "you", Times: 2}, "Hello, you!\nHello, you!\n", ""},
		{"nobody", input{Name: " "}, "", "the argument \"name\" is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hello(context.Background(), tt.in)
			if got != tt.want || (err != nil) != (tt.err != "") {
				t.Fatalf("got %q, %v; want %q", got, err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q does not say %q", err, tt.err)
			}
		})
	}
}

package cli

import (
	"reflect"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestReplyOf(t *testing.T) {
	one := tool.Inquiry{Options: []tool.InquiryOption{{Label: "red"}, {Label: "blue"}}}
	several := one
	several.Multiple = true
	answered := func(text string, chosen ...string) tool.Reply {
		return tool.Reply{Status: tool.ReplyAnswered, Text: text, Chosen: chosen}
	}
	for _, c := range []struct {
		line string
		q    tool.Inquiry
		want tool.Reply
	}{
		{"", one, tool.Reply{Status: tool.ReplyDeclined}},
		{"2", one, answered("", "blue")},
		{"1 2", one, answered("1 2")},
		{"3", one, answered("3")},
		{"0", one, answered("0")},
		{"green", one, answered("green")},
		{"2, 1", several, answered("", "red", "blue")},
		{"2,2", several, answered("", "blue")},
		{"1, green", several, answered("1, green")},
		{"42", tool.Inquiry{}, answered("42")},
	} {
		if got := replyOf(c.line, c.q); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %+v, want %+v", c.line, got, c.want)
		}
	}
}

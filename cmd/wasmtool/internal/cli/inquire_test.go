package cli

import (
	"reflect"
	"strings"
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

// A question of a tool is in rows of 72 columns that break between words.
func TestInquireWrapsAtWords(t *testing.T) {
	var terminal strings.Builder
	asker := terminalAsker{Streams{In: strings.NewReader("2\n")}, &terminal}
	words := strings.TrimSpace(strings.Repeat("workspace ", 20))
	reply, err := asker.Inquire(t.Context(), tool.Inquiry{Text: words, Options: []tool.InquiryOption{{Label: "a"}, {Label: "b", Description: words}}})
	if err != nil || len(reply.Chosen) != 1 || reply.Chosen[0] != "b" {
		t.Errorf("got %+v, %v", reply, err)
	}
	for row := range strings.Lines(terminal.String()) {
		if len(row) > 73 || strings.Count(row, "work") != strings.Count(row, "workspace") {
			t.Errorf("a row is %q", row)
		}
	}
	if got := strings.Count(terminal.String(), "workspace"); got != 40 {
		t.Errorf("%d of 40 words are shown:\n%s", got, &terminal)
	}
}

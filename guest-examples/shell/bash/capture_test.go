package bash

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A client that watches a long script gets its last output; a short script reports nothing.
func TestCapture_tells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		c := &capture{tell: func(last string) { told = append(told, last) }}
		write := func(text string) {
			if _, err := c.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		write("a\n")
		write("b\n")
		time.Sleep(tellAfter)
		synctest.Wait()
		write("c\n")
		time.Sleep(tellAfter)
		synctest.Wait()
		write(strings.Repeat("x", maxHead) + "é end")
		time.Sleep(tellAfter)
		synctest.Wait()
		write("never told")
		c.end()
		time.Sleep(2 * tellAfter)
		synctest.Wait()
		if len(told) != 3 || !slices.Equal(told[:2], []string{"a\nb\n", "a\nb\nc\n"}) || len(told[2]) > maxTold || !strings.HasSuffix(told[2], "xé end") {
			t.Errorf("told %.300q", told)
		}
		if text, total, _ := c.text(); !strings.HasPrefix(text, "a\nb\nc\nxxx") || total != len("a\nb\nc\né endnever told")+maxHead {
			t.Errorf("telling changed what is kept: %d bytes, %.20q", total, text)
		}
	})
}

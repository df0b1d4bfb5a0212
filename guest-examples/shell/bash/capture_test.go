package bash

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A client that watches a long script gets reports with its last output; a short script sends none.
func TestCapture_reportsLongScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []string
		c := &capture{report: func(last string) { reported = append(reported, last) }}
		write := func(text string) {
			if _, err := c.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		write("a\n")
		write("b\n")
		time.Sleep(reportDelay)
		synctest.Wait()
		write("c\n")
		time.Sleep(reportDelay)
		synctest.Wait()
		write(strings.Repeat("x", maxHead) + "é end")
		time.Sleep(reportDelay)
		synctest.Wait()
		write("never told")
		c.end()
		time.Sleep(2 * reportDelay)
		synctest.Wait()
		if len(reported) != 3 || !slices.Equal(reported[:2], []string{"a\nb\n", "a\nb\nc\n"}) || len(reported[2]) > maxReport || !strings.HasSuffix(reported[2], "xé end") {
			t.Errorf("told %.300q", reported)
		}
		if text, total, _ := c.text(); !strings.HasPrefix(text, "a\nb\nc\nxxx") || total != len("a\nb\nc\né endnever told")+maxHead {
			t.Errorf("reporting changed the stored output: %d bytes, %.20q", total, text)
		}
	})
}

package examples

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// junitSuites is the root of a report in the form of JUnit, which CI systems read; see
// https://github.com/testmoapp/junitxml.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	File    string       `xml:"file,attr,omitempty"`
	Time    string       `xml:"time,attr"`
	Failure *junitReason `xml:"failure"`
	Skipped *junitReason `xml:"skipped"`
	Stderr  string       `xml:"system-err,omitempty"`
}

type junitReason struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit returns the report as a document of JUnit, with a suite for each tool. Characters that are
// invisible or not allowed in XML are escaped.
func (r Report) JUnit() ([]byte, error) {
	var all junitSuites
	for _, o := range r.Outcomes {
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != o.Tool {
			all.Suites = append(all.Suites, junitSuite{Name: o.Tool})
		}
		suite := &all.Suites[len(all.Suites)-1]
		c := junitCase{
			Name: plaintext.Visible(o.Title), Class: o.Tool, File: o.Source,
			Time: fmt.Sprintf("%.3f", float64(o.DurationMS)/1000), Stderr: plaintext.Printable(o.Diagnostics),
		}
		suite.Tests++
		switch o.Status {
		case Failed:
			suite.Failures++
			text := plaintext.Printable(strings.Join(o.Mismatches, "\n"))
			first, _, _ := strings.Cut(text, "\n")
			c.Failure = &junitReason{Message: first, Text: text}
		case NotRun:
			suite.Skipped++
			c.Skipped = &junitReason{Message: "it needs the network; add --network"}
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}

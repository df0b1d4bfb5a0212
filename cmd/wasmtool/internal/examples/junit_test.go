package examples

import "testing"

func TestJUnit(t *testing.T) {
	report := Report{Outcomes: []Outcome{
		{Tool: "a", Source: "a/tool.toml", Title: "Works", Status: Passed, DurationMS: 12},
		{Tool: "a", Source: "a/tool.toml", Title: "<fails>\x1b[31m", Status: Failed, Mismatches: []string{"output: got \"1\"\nwant \"2\"", "more"}, Diagnostics: "panic: \x00"},
		{Tool: "b", Title: "Needs a server", Status: NotRun},
	}}
	got, err := report.JUnit()
	if err != nil {
		t.Fatal(err)
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="a" tests="2" failures="1" skipped="0">
    <testcase name="Works" classname="a" file="a/tool.toml" time="0.012"></testcase>
    <testcase name="&lt;fails&gt;\x1b[31m" classname="a" file="a/tool.toml" time="0.000">
      <failure message="output: got &#34;1&#34;">output: got &#34;1&#34;&#xA;want &#34;2&#34;&#xA;more</failure>
      <system-err>panic: \x00</system-err>
    </testcase>
  </testsuite>
  <testsuite name="b" tests="1" failures="0" skipped="1">
    <testcase name="Needs a server" classname="b" time="0.000">
      <skipped message="it needs the network; add --network"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
}

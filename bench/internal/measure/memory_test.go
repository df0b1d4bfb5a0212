package measure

import "testing"

func TestParsePrivate(t *testing.T) {
	const rollup = `5581a000-7ffd3000 ---p 00000000 00:00 0    [rollup]
Rss:               12345 kB
Shared_Clean:       4000 kB
Private_Clean:       100 kB
Private_Dirty:      2300 kB
Private_Hugetlb:       0 kB
`
	got, err := parsePrivate(rollup)
	if err != nil || got != 2400 {
		t.Errorf("got %d, %v; want 2400", got, err)
	}
	for _, wrong := range []string{"", "Rss: 1 kB\n", "Private_Dirty: many kB\n"} {
		if _, err := parsePrivate(wrong); err == nil {
			t.Errorf("%q: no error", wrong)
		}
	}
}

func TestMemorySlopes(t *testing.T) {
	m := Memory{Live: []Held{{1, 1000}, {10, 4000}, {101, 41_000}}, Resting: Held{101, 11_000}, Kept: 51}
	if got := m.PerInstance(); got != 400 {
		t.Errorf("an instance takes %v KiB, want 400", got)
	}
	if got := m.PerKept(m.Resting); got != 200 {
		t.Errorf("a kept instance takes %v KiB, want 200", got)
	}
	m.Kept = 0
	if got := m.PerKept(m.Resting); got != 0 {
		t.Errorf("an instance takes %v KiB although none was kept", got)
	}
	if got := (Memory{}).PerInstance() + (Memory{}).PerKept(Held{}); got != 0 {
		t.Errorf("nothing measured is %v KiB, want 0", got)
	}
}

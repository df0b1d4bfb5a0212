package measure

import "time"

// Plan says how much is measured.
type Plan struct {
	// Rounds is how often each peer has its turn, and Slice for how long each time.
	Rounds int
	Slice  time.Duration
	// Metering is how often each loop runs in each variant.
	Metering int
	// Deadlines is how many calls are stopped: alone, and by each of Spinners callers.
	Deadlines int
	Spinners  int
	// Callers are how many there are at once, each number for Load long and LoadRounds
	// times.
	Callers    []int
	Load       time.Duration
	LoadRounds int
	// Instances are how many are held alive for their memory, and Rest is how long they
	// are left alone afterwards.
	Instances []int
	Rest      time.Duration
	// Starts is how many processes are started for each guest.
	Starts int
	// Files is how often each tool for files does its work.
	Files int
}

// Full is enough for figures to quote.
func Full() Plan {
	return Plan{
		Rounds: 100, Slice: 10 * time.Millisecond,
		Metering:  25,
		Deadlines: 200, Spinners: 50,
		Callers: []int{1, 8, 64, 512}, Load: time.Second, LoadRounds: 3,
		Instances: []int{1, 10, 50, 100, 200}, Rest: 11 * time.Second,
		Starts: 40,
		Files:  20,
	}
}

// Quick is enough to see that everything works. Its figures mean nothing.
func Quick() Plan {
	return Plan{
		Rounds: 2, Slice: 2 * time.Millisecond,
		Metering:  2,
		Deadlines: 5, Spinners: 8,
		Callers: []int{1, 8}, Load: 50 * time.Millisecond, LoadRounds: 1,
		Instances: []int{1, 4}, Rest: time.Millisecond,
		Starts: 2,
		Files:  1,
	}
}

// MostInstances is how many instances are alive at once at most.
func (p Plan) MostInstances() int {
	most := p.Spinners
	for _, list := range [][]int{p.Callers, p.Instances} {
		for _, n := range list {
			most = max(most, n)
		}
	}
	return most
}

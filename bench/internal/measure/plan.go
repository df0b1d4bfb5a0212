package measure

import "time"

// Plan defines how much is measured.
type Plan struct {
	// Rounds is the number of turns of each peer, and Slice the length of a turn.
	Rounds int
	Slice  time.Duration
	// Metering is how often each loop runs in each variant.
	Metering int
	// Programs is how often each program of the corpus runs in each variant.
	Programs int
	// Deadlines is the number of calls that a single caller makes, each of which is stopped at its
	// deadline. Each of the Spinners concurrent callers makes a twentieth of that number, and at
	// least one call.
	Deadlines int
	Spinners  int
	// Callers are the numbers of concurrent callers. Each number is measured LoadRounds times, for
	// the duration Load each time.
	Callers    []int
	Load       time.Duration
	LoadRounds int
	// Instances are the numbers of live instances whose memory is measured. Rest is how long to
	// wait after their release before memory is measured again.
	Instances []int
	Rest      time.Duration
	// Starts is the number of processes that are started for each guest.
	Starts int
	// Files is how often each file tool does its job.
	Files int
	// Commands is how often each command of the shell runs; 1 also means a small input.
	Commands int
	// Code is the number of turns of each script of the tool code.
	Code int
	// PartTurns is the number of turns of each guest whose calls are divided into parts. PartTurn
	// is the length of a turn.
	PartTurns int
	PartTurn  time.Duration
}

// Full returns a plan with enough measurements to quote the figures.
func Full() Plan {
	return Plan{
		Rounds: 100, Slice: 10 * time.Millisecond,
		Metering: 25, Programs: 11,
		Deadlines: 200, Spinners: 50,
		Callers: []int{1, 8, 64, 512}, Load: time.Second, LoadRounds: 3,
		Instances: []int{1, 10, 50, 100, 200}, Rest: 11 * time.Second,
		Starts:    40,
		Files:     20,
		Commands:  5,
		Code:      50,
		PartTurns: 4, PartTurn: 4 * time.Second,
	}
}

// Quick returns a plan for a smoke test: it shows that everything works, but its figures are not
// meaningful.
func Quick() Plan {
	return Plan{
		Rounds: 2, Slice: 2 * time.Millisecond,
		Metering: 2, Programs: 1,
		Deadlines: 5, Spinners: 8,
		Callers: []int{1, 8}, Load: 50 * time.Millisecond, LoadRounds: 1,
		Instances: []int{1, 4}, Rest: time.Millisecond,
		Starts:    2,
		Files:     1,
		Commands:  1,
		Code:      1,
		PartTurns: 1, PartTurn: 100 * time.Millisecond,
	}
}

// MaxInstances returns the largest number of instances that are alive at once.
func (p Plan) MaxInstances() int {
	largest := p.Spinners
	for _, list := range [][]int{p.Callers, p.Instances} {
		for _, n := range list {
			largest = max(largest, n)
		}
	}
	return largest
}

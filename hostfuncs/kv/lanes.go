package kv

import "sync"

// lanes lets the calls of this process into each file one at a time, in the order in
// which they came, so that only processes contend for the file's lock. The zero value
// is ready.
type lanes struct {
	mu     sync.Mutex
	byName map[string]*lane
}

// lane is the way to one file. Who has the turn owns its fields.
type lane struct {
	// turn holds one item while nobody has the turn.
	turn chan struct{}
	// users counts who is in the lane or waits. lanes.mu guards it.
	users int
	// sound is the state of the file when it was last known to be sound.
	sound stamp
	// listed says that the directory is known to hold the file durably.
	listed bool
}

// idleLanes is how many lanes are remembered at most beside those in use.
const idleLanes = 4096

// enter waits for the turn at a file. Call leave afterwards.
func (l *lanes) enter(name string, p *patience) (*lane, error) {
	l.mu.Lock()
	if l.byName == nil {
		l.byName = map[string]*lane{}
	}
	at := l.byName[name]
	if at == nil {
		at = &lane{turn: make(chan struct{}, 1)}
		at.turn <- struct{}{}
		l.byName[name] = at
	}
	at.users++
	l.mu.Unlock()

	err := p.ended()
	if err == nil {
		err = p.wait(at.turn)
	}
	if err != nil {
		l.drop(name, at)
		return nil, err
	}
	return at, nil
}

// leave gives the turn back.
func (l *lanes) leave(name string, at *lane) {
	at.turn <- struct{}{}
	l.drop(name, at)
}

// drop counts a user less, and forgets an idle lane where too many are remembered.
func (l *lanes) drop(name string, at *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at.users--
	if at.users == 0 && len(l.byName) > idleLanes {
		delete(l.byName, name)
	}
}

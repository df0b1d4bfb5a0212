package mcpserver

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/ledger"
)

// sessions tracks the sessions that have made calls. A call may start a job that continues after
// the call. The job ends with the session, because no later request could reach the job. Otherwise,
// a client that opens sessions repeatedly could have any number of jobs. sessions is safe for
// concurrent use.
type sessions struct {
	key [sha256.Size]byte // for name

	mu      sync.Mutex
	watched map[*mcp.ServerSession]struct{}
}

func newSessions() *sessions {
	s := &sessions{watched: make(map[*mcp.ServerSession]struct{})}
	_, _ = rand.Read(s.key[:]) // it never fails
	return s
}

// name returns the name of a session for tools, receipts, logs and remembered answers. None of
// these may contain the ID, because over HTTP any sender that knows the ID can act as the client.
// The name stays the same while the server runs. It is "" for a session without an ID, which the
// SDK makes for a request of a revision without sessions.
func (s *sessions) name(session *mcp.ServerSession) string {
	id := session.ID()
	if id == "" {
		return ""
	}
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte(id))
	return "session_" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// watch cancels the calls of a session when the session ends, also of a tenant that the user was
// earlier. It does nothing for a request without a session.
func (s *sessions) watch(r *registry.Registry, session *mcp.ServerSession) {
	name := s.name(session)
	if name == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.watched[session]; there {
		return
	}
	s.watched[session] = struct{}{}
	go func() {
		_ = session.Wait() // the reason for the end does not matter
		r.Calls().Kill(ledger.Selector{Session: name})
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watched, session)
	}()
}

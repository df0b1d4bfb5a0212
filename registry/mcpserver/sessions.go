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

// sessions are those that made calls. What a call has begun, such as a job, may outlast it,
// and ends with the session: nobody could ask for it any more, and a client that opens one
// session after the other would have as many as it likes. It is safe for concurrent use.
type sessions struct {
	// key makes names of IDs.
	key [sha256.Size]byte

	mu      sync.Mutex
	watched map[*mcp.ServerSession]struct{}
}

func newSessions() *sessions {
	s := &sessions{watched: make(map[*mcp.ServerSession]struct{})}
	_, _ = rand.Read(s.key[:]) // it never fails
	return s
}

// name is what the session is called by all but its client: tools, receipts, logs and what
// is remembered. Over HTTP, who knows the ID itself may speak for the client. It is the same
// as long as the server lives, and "" for a session without an ID, as a request of a revision
// without sessions is.
func (s *sessions) name(session *mcp.ServerSession) string {
	id := session.ID()
	if id == "" {
		return ""
	}
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte(id))
	return "session_" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// watch sees to the end of a session, which is user's. What a request without a session
// begins goes on.
func (s *sessions) watch(r *registry.Registry, session *mcp.ServerSession, user string) {
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
		_ = session.Wait() // for its calls, too; how the connection ended does not matter
		r.Calls().Kill(ledger.Selector{Tenant: user, OfTenant: true, Session: name})
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watched, session)
	}()
}

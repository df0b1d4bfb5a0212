package mcpserver

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry"
)

// sessions are those that made calls. What a call has begun, such as a job, may outlast it,
// and ends with the session: nobody could ask for it any more, and a client that opens one
// session after the other would have as many as it likes. It is safe for concurrent use.
type sessions struct {
	mu      sync.Mutex
	watched map[*mcp.ServerSession]struct{}
}

// watch sees to the end of a session, which is user's. A request of a revision without
// sessions is one without a name; what it begins goes on.
func (s *sessions) watch(r *registry.Registry, session *mcp.ServerSession, user string) {
	if session.ID() == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.watched[session]; there {
		return
	}
	if s.watched == nil {
		s.watched = make(map[*mcp.ServerSession]struct{})
	}
	s.watched[session] = struct{}{}
	go func() {
		_ = session.Wait() // for its calls, too; how the connection ended does not matter
		r.Kill(registry.Selector{Tenant: user, OfTenant: true, Session: session.ID()})
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watched, session)
	}()
}

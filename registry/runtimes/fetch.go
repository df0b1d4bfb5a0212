package runtimes

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/endpoint"
)

// fetchTime limits a download.
const fetchTime = 10 * time.Minute

// Fetch downloads the archive of an interpreter, and adds it. transport makes the connections; the
// zero value uses the defaults.
func (s *Store) Fetch(ctx context.Context, name string, transport egress.Transport) error {
	r, err := s.added(name)
	if err != nil {
		return err
	}
	u, err := endpoint.ParseURL(r.Archive.URL)
	if err != nil {
		return err
	}
	source := endpoint.Endpoint{URL: u, Rule: "runtimes", HTTP: transport}
	client := source.Client(egress.Limits{ResponseBytes: int64(r.Archive.Size) + 1, Time: fetchTime})
	defer client.Close()
	res, err := client.Do(ctx, egress.Request{Method: http.MethodGet, URL: r.Archive.URL, KeepRedirect: true})
	if err != nil {
		return fmt.Errorf("%s cannot be downloaded: %w; download it elsewhere, and add it with --from FILE", r.Archive.Package, err)
	}
	if res.Status != http.StatusOK {
		return fmt.Errorf("%s cannot be downloaded: %s answered with the status %d", r.Archive.Package, r.Archive.URL, res.Status)
	}
	if err := s.Add(name, res.Body); err != nil {
		return fmt.Errorf("the download of %s: %w", r.Archive.Package, err)
	}
	return nil
}

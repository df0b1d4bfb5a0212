package runtimes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/endpoint"
)

// fetchTime limits a download.
const fetchTime = 10 * time.Minute

// Fetch downloads the archive of an interpreter, and adds it. from is the URL of a copy of the
// archive or of the module; "" is the URL in the release. transport makes the connections; the zero
// value uses the defaults. progress is called with the number of bytes that have arrived; nil means
// that it is not called.
func (s *Store) Fetch(ctx context.Context, name, from string, transport egress.Transport, progress func(done int)) error {
	r, err := s.added(name)
	if err = cmp.Or(err, r.usable()); err != nil {
		return err
	}
	from = cmp.Or(from, r.Archive.URL)
	u, err := endpoint.ParseURL(from)
	if err != nil {
		return err
	}
	source := endpoint.Endpoint{URL: u, Rule: "runtimes", HTTP: transport}
	client := source.Client(egress.Limits{ResponseBytes: int64(max(r.Size, r.Archive.Size)) + 1, Time: fetchTime})
	defer client.Close()
	res, err := client.Do(ctx, egress.Request{Method: http.MethodGet, URL: from, KeepRedirect: true})
	if err != nil {
		return fmt.Errorf("%s cannot be downloaded: %w; download it elsewhere, and add it with --from FILE", r.Archive.Package, err)
	}
	if res.Status != http.StatusOK {
		return fmt.Errorf("%s cannot be downloaded: %s answered with the status %d", r.Archive.Package, from, res.Status)
	}
	if err := s.Add(name, &counter{in: res.Body, progress: progress}); err != nil {
		return fmt.Errorf("the download of %s: %w", r.Archive.Package, err)
	}
	return nil
}

// counter reports how many bytes were read.
type counter struct {
	in       io.Reader
	done     int
	progress func(done int)
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if c.done += n; c.progress != nil {
		c.progress(c.done)
	}
	return n, err
}

package peer

import "context"

// wazeroReuse is plain wazero with one instance for all calls, without isolation or interruption.
// It is the lower bound of the time of a call.
type wazeroReuse struct {
	common
	instance *Instance
	call     func(ctx context.Context, input []byte) ([]byte, error)
}

func newWazeroReuse(c common) Peer { return &wazeroReuse{common: c} }

func (p *wazeroReuse) Prepare(ctx context.Context) error {
	var err error
	if p.instance, err = OpenInstance(ctx, p.file(), Unmetered, p.setup.Cache); err != nil {
		return err
	}
	p.call, err = p.instance.Func("call")
	return err
}

func (p *wazeroReuse) Call(ctx context.Context, input []byte) ([]byte, error) {
	return p.call(ctx, input)
}

func (p *wazeroReuse) Close() error {
	if p.instance == nil {
		return nil
	}
	return p.instance.Close()
}

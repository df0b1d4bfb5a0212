package manifests

import "github.com/wasmtool/wasmtool/internal/stricttoml"

// configKey reads a value of the configuration of a plug-in.
func (c *checker) configKey(m *Manifest) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		return stricttoml.Key{Want: stricttoml.WantText, Read: func(_ stricttoml.Place, n *stricttoml.Node) {
			if m.Module.Config == nil {
				m.Module.Config = make(map[string]string)
			}
			m.Module.Config[name] = n.Text
		}}
	}
}

// checkConfig bounds a configuration, of which each call gets a copy piece by piece.
func (c *checker) checkConfig(m *Manifest) stricttoml.Reader {
	return func(at stricttoml.Place, _ *stricttoml.Node) {
		size := 0
		for name, value := range m.Module.Config {
			size += len(name) + len(value)
		}
		if size > MaxConfigBytes {
			c.Fault(at, "has %d bytes in names and values; the ceiling is %s", size, stricttoml.FormatSize(MaxConfigBytes))
		}
	}
}

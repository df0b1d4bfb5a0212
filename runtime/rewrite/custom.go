package rewrite

// readCustom notes a custom section's name and reads the ones that say something
// about where the module came from.
func (m *module) readCustom(r *reader) {
	name := r.name("custom section name")
	if r.err != nil {
		return
	}
	if len(m.custom) == maxCustom {
		r.fail(r.pos, TooLarge, "more than %d custom sections", maxCustom)
		return
	}
	m.custom = append(m.custom, name)
	if name == "producers" && m.producers == nil {
		m.readProducers(r)
	}
	r.pos = r.end
}

// readProducers reads the list of tools that made the module. It has no meaning
// for running it, so a malformed list is left out rather than refused.
func (m *module) readProducers(custom *reader) {
	r := *custom
	var list []Producer
	for fields := r.count("fields", 100, 2); fields > 0; fields-- {
		field := r.name("field")
		for values := r.count("values", 100, 2); values > 0; values-- {
			list = append(list, Producer{Field: field, Name: r.name("name"), Version: r.name("version")})
		}
	}
	if r.err == nil {
		m.producers = list
	}
}

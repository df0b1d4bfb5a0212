package capability

// Flag is a word that gives unusually much, for whoever is about to say yes.
type Flag struct {
	Word Word
	// Why is a clause such as "every public host".
	Why string
}

// Broad returns those of the words that give unusually much, in their order: writing,
// "any" host, wildcards, and private addresses. A whole host is not unusual.
func Broad(words ...Word) []Flag {
	var flags []Flag
	for _, w := range words {
		if why := w.broad(); why != "" {
			flags = append(flags, Flag{Word: w, Why: why})
		}
	}
	return flags
}

func (w Word) broad() string {
	switch {
	case w.kind == KindWrite && w.name != ScratchMount:
		return "changes and deletes files of the mount " + w.name
	case !w.isNet():
		return ""
	case w.url.IsAny():
		return "sends what the tool knows to every public host"
	case w.url.IsWildcard() && w.kind == KindNetPrivate:
		return "every host directly below " + w.url.host + ", at private addresses, too"
	case w.url.IsWildcard():
		return "every host directly below " + w.url.host + ", whoever owns it"
	case w.kind == KindNetPrivate || w.url.NamesLocal():
		return "reaches into the network of this machine"
	}
	return ""
}

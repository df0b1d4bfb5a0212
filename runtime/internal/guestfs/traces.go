package guestfs

// Traces records what a guest has seen of the files of its call, and what it leaves behind in the
// engine's descriptor table, where the next call of the instance would find it. The zero value is
// for a new instance. The guest's goroutine writes it; read it only on that goroutine or when no
// call runs.
type Traces struct {
	open   int  // number of files that the guest opened and did not close
	listed bool // a preopen was listed, and the engine keeps the listing
	// touched and ownFiles: see Touched and OwnFiles.
	touched, ownFiles bool
}

// Clean reports whether nothing was left behind.
func (t *Traces) Clean() bool { return t.open == 0 && !t.listed }

// Touched reports whether the guest has used or looked at anything that may depend on files of its
// call. Names where no mount is do not count: what the guest learns of them depends only on the
// name and on the guest paths of the mounts.
func (t *Traces) Touched() bool { return t.touched }

// OwnFiles reports whether the guest has looked at its own files, a Data.
func (t *Traces) OwnFiles() bool { return t.ownFiles }

// Open reports whether the guest has a file open.
func (t *Traces) Open() bool { return t.open > 0 }

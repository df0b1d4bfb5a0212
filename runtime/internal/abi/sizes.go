package abi

import "github.com/tetratelabs/wazero/api"

// size is a parameter of a host function that determines how much work the host does: a count, a
// length, or a block of an Extism plug-in, whose length the kernel knows.
type size struct {
	at int // index among the parameters
	// limit is the largest value that the function gets; 0 means that only the guest's memory
	// limits it.
	limit uint64
	// errno is the error for a value above the limit. 0 means that the function itself reports the
	// error; it gets the limit in place of the value.
	errno uint64
	// perUnit is the price as a shift: 4 charges one unit of fuel for 16 bytes, -4 charges 16 units
	// for one item. A free size charges nothing, because something else bounds the work.
	perUnit int
	free    bool
	block   bool
}

// MaxVector limits the pieces of one read or write, like IOV_MAX on POSIX systems. The engine walks
// through empty pieces without checking the deadline.
const MaxVector = 1024

// Sizes that several functions use.
func vectorAt(at int) size { return size{at: at, limit: MaxVector, errno: wasiInval, perUnit: -4} }
func pathAt(at int) size   { return size{at: at, limit: maxPathBytes + 1, perUnit: 4} }
func bytesAt(at int) size  { return size{at: at, perUnit: 4} }
func blockAt(at int) size  { return size{at: at, perUnit: 4, block: true} }

// freeAt is for a buffer that the host fills with existing data, and for a number that it only
// compares.
func freeAt(at int) size { return size{at: at, free: true} }

// hostSizes lists all sizes of all functions that guests can import, by module and function. A
// function that is not listed has no sizes. A test compares the list with the exported functions.
var hostSizes = map[string]map[string][]size{
	WASI: {
		"fd_advise":               {freeAt(2)}, // not implemented
		"fd_allocate":             {freeAt(2)}, // sets the size of a file, which is limited
		"fd_filestat_set_size":    {freeAt(1)}, // like fd_allocate
		"fd_pread":                {vectorAt(2)},
		"fd_prestat_dir_name":     {freeAt(2)}, // writes at most the name
		"fd_pwrite":               {vectorAt(2)},
		"fd_read":                 {vectorAt(2)},
		"fd_readdir":              {freeAt(2)}, // the entries of a call are limited
		"fd_write":                {vectorAt(2)},
		"path_create_directory":   {pathAt(2)},
		"path_filestat_get":       {pathAt(3)},
		"path_filestat_set_times": {pathAt(3)},
		"path_link":               {pathAt(3), pathAt(6)},
		"path_open":               {pathAt(3)},
		"path_readlink":           {pathAt(2), freeAt(4)}, // writes at most the target of a link
		"path_remove_directory":   {pathAt(2)},
		"path_rename":             {pathAt(2), pathAt(5)},
		"path_symlink":            {pathAt(1), pathAt(4)},
		"path_unlink_file":        {pathAt(2)},
		"poll_oneoff":             {{at: 2, limit: MaxSubscriptions, errno: wasiInval, perUnit: -4}},
		"random_get":              {bytesAt(1)}, // filled in pieces, with a deadline check for each
		"sock_recv":               {vectorAt(2)},
		"sock_send":               {vectorAt(2)},
	},
	V1: {
		"context_read":  {freeAt(1)},
		"error_write":   {freeAt(1)}, // 16 KiB are kept
		"fault_read":    {freeAt(1)},
		"files_list":    {bytesAt(1), freeAt(3)}, // at most 4,096 names in 1 MiB; see Batch
		"files_read":    {bytesAt(1), freeAt(2), freeAt(4)},
		"files_replace": {bytesAt(1), freeAt(3), bytesAt(5)}, // a path; content of limited size
		"files_stat":    {bytesAt(1), freeAt(3)},
		"http_head":     {freeAt(2)},
		"http_read":     {freeAt(2)},
		// head of at most 128 KiB, body of at most 10 MiB
		"http_request": {bytesAt(1), bytesAt(3)},
		"input_read":   {freeAt(1)},
		"kv_delete":    {bytesAt(1)}, // keys and values are limited
		"kv_get":       {bytesAt(1), freeAt(3)},
		"kv_list":      {bytesAt(1), bytesAt(3), freeAt(5)},
		"kv_put":       {bytesAt(1), bytesAt(3)},
		// the length absent means that there is no value
		"kv_swap":       {bytesAt(1), freeAt(3), freeAt(5)},
		"tool_call":     {freeAt(1), bytesAt(3)}, // a longer name is cut
		"tool_result":   {freeAt(1)},             // writes at most the result
		"log":           {freeAt(2)},             // 8 KiB are kept
		"output_write":  {bytesAt(1)},            // bounded by limits.output
		"progress":      {freeAt(3)},             // 1 KiB is kept
		"secret_exists": {freeAt(1)},             // at most 256 bytes
		"sha256":        {bytesAt(1), freeAt(3)}, // at most 64 MiB
		"update":        {freeAt(1)},             // at most 16 KiB
	},
	ExtismHost: {
		"alloc":        {freeAt(0)}, // bounded by the memory limit
		"config_get":   {blockAt(0)},
		"error_set":    {freeAt(0)}, // 16 KiB are kept
		"http_request": {blockAt(0), blockAt(1)},
		"log_debug":    {freeAt(0)}, // like log
		"log_error":    {freeAt(0)},
		"log_info":     {freeAt(0)},
		"log_trace":    {freeAt(0)},
		"log_warn":     {freeAt(0)},
		"output_set":   {freeAt(1)}, // copied once, when the call ends
		"var_get":      {blockAt(0)},
		"var_set":      {blockAt(0), blockAt(1)}, // at most 1 MiB
	},
}

// Sizes returns the indexes of the parameters of a host function that are sizes.
func Sizes(module, function string) (at []int) {
	for _, s := range hostSizes[module][function] {
		at = append(at, s.at)
	}
	return at
}

// take enforces the limits on the sizes of a host function call and charges the guest for them. It
// returns the error number for a size above its limit, or 0.
func (g *Guest) take(sizes []size, stack []uint64) (errno uint64) {
	var units uint64
	for _, s := range sizes {
		if s.free {
			continue
		}
		value := uint64(api.DecodeU32(stack[s.at]))
		switch {
		case s.block:
			value = g.current.Load().kernel.length(stack[s.at])
		case s.limit > 0 && value > s.limit && s.errno != 0:
			return s.errno
		case s.limit > 0 && value > s.limit:
			value = s.limit
			stack[s.at] = value
		}
		value = min(value, g.Size()) // the function refuses a longer range
		if s.perUnit < 0 {
			units += value << -s.perUnit
		} else {
			units += value >> s.perUnit
		}
	}
	g.pay(units)
	return wasiSuccess
}

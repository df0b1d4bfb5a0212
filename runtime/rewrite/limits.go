package rewrite

// Defaults of Options.
const (
	// DefaultMaxTableElements is room for 131,072 references (1 MiB) in a table.
	// Large Go and Rust programs need fewer than 100,000.
	DefaultMaxTableElements = 1 << 17
	// DefaultMaxFunctionBytes is the largest function body by default, 1 MiB: rewriting it
	// takes up to 200 MiB of memory. The largest that real programs are known to have is 630
	// KiB. What it takes to compile is bounded by the estimate.
	DefaultMaxFunctionBytes = 1 << 20
)

// Counts above these are refused whatever the options say. They are far above
// what compilers emit, and keep what an engine allocates per item in proportion.
const (
	maxTypes     = 100_000
	maxImports   = 10_000
	maxFunctions = 250_000
	maxTables    = 16
	maxTags      = 10_000
	maxGlobals   = 10_000
	maxExports   = 250_000
	maxSegments  = 100_000
	maxElements  = 200_000 // in all segments together
	maxParams    = 1_000
	maxLocals    = 10_000
	maxStack     = 500_000
	maxCustom    = 10_000
	maxNameBytes = 100_000

	// maxTypeValues is how many parameters and results all types may have together: the
	// engine makes code for them whenever it loads a module, from a cache too.
	maxTypeValues = 100_000

	// maxPages is the size of a 32-bit memory in pages of 64 KiB.
	maxPages = 1 << 16
)

// Package runtime turns the bytes of a WASM module into a Module and calls it,
// each call on an instance that is as it was after its start and that reaches only what
// its Bindings hold. It knows nothing of tools, manifests or policy.
//
// Instances are used again where their guest cannot tell: their memory and globals are
// taken back to what they were, on Linux by copying the pages that changed.
// A module whose start depends on its call, or that keeps state elsewhere, gets a new
// instance for each call; so does every module on other systems.
//
// What always holds, whatever the guest does:
//
//   - A call returns by the deadline of its context plus a grace of 200 ms, and by
//     then guest code has stopped. A host operation that cannot be interrupted
//     (a file system that hangs) is abandoned and counted, and at most
//     Options.MaxAbandoned of them are left before calls are refused.
//   - Memory, fuel, tables, output and the error stream have ceilings, and so have the
//     calls that run and wait and the memory of all guests together.
//   - Nothing that one call leaves behind is found by another.
//   - The guest sees the arguments, variables, files, clock and randomness of its
//     call and nothing of the process: not its streams, environment or directories.
//   - How a call ended is told by the host from what the host knows; an exit code
//     or a message of the guest cannot pass for a deadline or a limit.
//
// No type of the WASM engine appears in the exported API, so nobody can hand in a
// configuration that undoes this.
package runtime

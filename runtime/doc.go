// Package runtime loads WASM modules and calls them. Each call runs on an instance that was just
// started, or was reset to that state. The call has access only to what its Bindings contain. The
// package knows nothing of tools, manifests or policy.
//
// Instances are reused where a guest cannot notice: their memory and globals are reset, on Linux by
// restoring the pages that changed. A module whose start depends on its call, or that keeps state
// elsewhere, gets a new instance for each call. So does every module on other systems.
//
// These guarantees hold whatever the guest does:
//
//   - A call returns by the deadline of its context plus a grace period of 200 ms, and guest code
//     has stopped by then. A host operation that cannot be interrupted, such as a file system that
//     hangs, is abandoned and counted. After Options.MaxAbandoned of them, calls are refused.
//   - Memory, fuel, tables, output and the error stream have limits. So do the number of running
//     and waiting calls, and the memory of all guests together.
//   - A call finds nothing that another call left behind.
//   - The guest sees the arguments, variables, files, clock and randomness of its call. It sees
//     nothing of the process: no streams, environment or directories.
//   - The host decides how a call ended, from what the host observed. An exit code or message of
//     the guest cannot imitate a deadline or a limit.
//
// No type of the WASM engine appears in the exported API, so no caller can pass a configuration
// that undoes these guarantees.
package runtime

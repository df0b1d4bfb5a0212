// Package process has the tool process: jobs in the background. A job is a call of another
// tool, bash unless the program says otherwise, that goes through all the steps of a call
// with the rights of whoever started it, and runs in the sandbox like any other. There is no
// process of the host.
//
// Jobs belong to a tenant and a session: nobody else sees, reads or ends them. They end at
// the latest with the [Table].
package process

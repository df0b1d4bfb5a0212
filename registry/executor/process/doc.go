// Package process provides the tool "process", which runs jobs in the background. A job is a call
// of another tool: bash, unless Options.Tool names another one. The call passes all stages of a
// call and runs in the sandbox like any other call. It has the permissions of the caller that
// started it. No process of the host is started.
//
// A job belongs to a tenant and a session, and no other session can see, read or end it. Closing
// the [Table] ends all jobs.
package process

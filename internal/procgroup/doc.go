// Package procgroup kills a process together with the processes that it started.
package procgroup

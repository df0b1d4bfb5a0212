// Package cookbook builds and tests the tools of the directory cookbook with the command, as an
// author does. It contains only tests.
package cookbook

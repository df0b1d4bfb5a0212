// Package approvals remembers a yes. An approval is good for one tenant and for
// exactly the tool (by its digest), the grant and the arguments that were shown when
// it was given, unless the question said that any arguments are meant. If the tool
// changes by a byte or its grant by a word, the question is asked again.
//
// What is remembered comes from the operator's answer alone: nothing here is reached
// by a model. In doubt, such as when the file cannot be read, there is an error and
// no approval.
package approvals

// Package loop finds calls of a session that are made again and again and bring nothing
// new: one call, or up to four in turn. Whether something is new is told by what the host
// knows: another result, or an effect on something outside of the call.
//
// First the model is warned, then somebody is asked, then the call is refused. A yes begins
// the count anew; a ceiling holds whoever says yes.
package loop

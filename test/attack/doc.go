// Package attack holds the tests of what the sandbox as a whole promises: guests that do
// all that their imports allow, against servers, names and other tools that are as bad as
// they come, through a Registry as package standard assembles it. What single parts do is
// tested beside them; here nothing is in between that a real call would not have, but for
// an internet of its own (world). In the same way keys_test.go and keysovertime_test.go show
// what each key of the operator's file does.
//
// The guest is guest/internal/script, which does the steps of its input one by one through
// the raw functions of the host. TestSDK uses guest/internal/fetch, an author's view.
//
// The tests run with all others, in about 50 s on two cores. With -race, which is for
// rules_test.go and kv_test.go first of all, TestSDK is left out.
package attack

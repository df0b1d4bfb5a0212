// Package attack tests the promises of the whole sandbox. Guests do everything that their imports
// allow, against hostile servers, names and other tools, through a Registry as package standard
// assembles it. Everything is as in a real call, except for a simulated internet (world). Single
// packages have tests of their own. keys_test.go and keysovertime_test.go test each key of the
// operator's file in the same way.
//
// The guest is guest/internal/script, which executes the steps in its input one by one with the raw
// functions of the host. TestSDK uses guest/internal/fetch, which is written with the SDK.
//
// The tests take about 50 s on two cores. With -race, which is most useful for rules_test.go and
// kv_test.go, TestSDK is skipped.
package attack

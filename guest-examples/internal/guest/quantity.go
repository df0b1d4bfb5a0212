package guest

import "fmt"

// Quantity joins a number, given as a whole number or as text, and a unit whose
// plural ends in s: "1 file", "2 files", "1.5 seconds".
func Quantity(number any, unit string) string {
	text := fmt.Sprint(number)
	if text != "1" {
		unit += "s"
	}
	return text + " " + unit
}

package toolabi

import (
	"fmt"
	"strconv"
)

// Quantity joins a number, given as a whole number or as text, and a unit whose
// plural ends in s: "1 file", "2 files", "1.5 seconds".
func Quantity(number any, unit string) string {
	var text string
	switch number := number.(type) { // package fmt takes a guest long
	case int:
		text = strconv.Itoa(number)
	case string:
		text = number
	default:
		text = fmt.Sprint(number)
	}
	if text != "1" {
		unit += "s"
	}
	return text + " " + unit
}

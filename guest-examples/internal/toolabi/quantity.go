package toolabi

import (
	"fmt"
	"strconv"
	"strings"
)

// Quantity joins a number, given as an integer or a string, and a unit in the plural where needed:
// "1 file", "2 directories", "1.5 seconds".
func Quantity(number any, unit string) string {
	var text string
	switch number := number.(type) { // avoid package fmt, which is slow in a guest
	case int:
		text = strconv.Itoa(number)
	case string:
		text = number
	default:
		text = fmt.Sprint(number)
	}
	switch {
	case text == "1":
	case strings.HasSuffix(unit, "ry"):
		unit = strings.TrimSuffix(unit, "y") + "ies"
	default:
		unit += "s"
	}
	return text + " " + unit
}

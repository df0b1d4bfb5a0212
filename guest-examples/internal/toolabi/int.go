package toolabi

import (
	"fmt"
	"math"
	"strconv"
)

// Int is a whole number in an argument object. JSON Schema counts 3.0 and 3e0
// as integers, which encoding/json refuses for an int.
type Int int64

// UnmarshalJSON takes any JSON number without a fraction that an int64 holds,
// up to 2^53 for the forms with a point or an exponent. null leaves n as it is.
func (n *Int) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*n = Int(i)
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return fmt.Errorf("%.40s is not a whole number in range", text)
	}
	*n = Int(f)
	return nil
}

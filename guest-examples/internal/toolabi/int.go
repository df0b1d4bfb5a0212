package toolabi

import (
	"fmt"
	"math"
	"strconv"
)

// Int is an integer argument. JSON Schema accepts 3.0 and 3e0 as integers, but encoding/json
// rejects them for an int.
type Int int64

// UnmarshalJSON accepts any JSON number without a fraction that fits an int64; with a point or an
// exponent, it must be at most 2^53. null leaves n unchanged.
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
		return fmt.Errorf("%.40s is not a whole number, or is too large", text)
	}
	*n = Int(f)
	return nil
}

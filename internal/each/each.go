// Package each makes lists of lists.
package each

// Of returns what f makes of each value of a list, in its order; nil for none.
func Of[T, U any](list []T, f func(T) U) []U {
	if len(list) == 0 {
		return nil
	}
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

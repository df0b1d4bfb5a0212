// Package each applies a function to each element of a list.
package each

// Of returns the results of f for each element of a list, in order. It returns nil for an empty
// list.
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

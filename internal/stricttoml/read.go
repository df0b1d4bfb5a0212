package stricttoml

// ReadWith returns a Reader that parses a string or literal with the function parse and passes the
// result to the function take. The errors of parse say how to fix the value.
func ReadWith[T any](c *Checker, parse func(text string) (T, error), take func(at Place, value T)) Reader {
	return func(at Place, n *Node) {
		value, err := parse(n.Text)
		if err != nil {
			c.Errorf(at, "%s", err)
			return
		}
		take(at, value)
	}
}

// ReadString returns a Reader that parses a string or literal and stores the result in target.
// The errors of parse say how to fix the value.
func ReadString[T any](c *Checker, target *T, parse func(text string) (T, error)) Reader {
	return ReadWith(c, parse, func(_ Place, value T) { *target = value })
}

// ReadCount returns a Reader for an integer between low and high.
func ReadCount[T int | int64 | uint64](c *Checker, target *T, low, high T) Reader {
	return ReadString(c, target, func(literal string) (T, error) {
		count, err := ParseCount(literal, uint64(low), uint64(high))
		return T(count), err
	})
}

// ReadStrings returns a Reader for a list of distinct strings, which appends the parsed elements
// to target.
func ReadStrings[T any](c *Checker, target *[]T, parse func(text string) (T, error)) Reader {
	read := ReadWith(c, parse, func(_ Place, value T) { *target = append(*target, value) })
	return func(at Place, n *Node) {
		seen := make(map[string]bool)
		c.EachString(at, n, func(at Place, n *Node) {
			if seen[n.Text] {
				c.Errorf(at, "%s is listed twice; keep one", Quote(n.Text))
				return
			}
			seen[n.Text] = true
			read(at, n)
		})
	}
}

// EachString calls the function read for each string in a list. It records an error for each
// element that is not a string.
func (c *Checker) EachString(at Place, n *Node, read Reader) {
	if !c.checkLength(at, n) {
		return
	}
	for i, item := range n.Items {
		at := at.Item(i, item.Offset)
		if item.Kind != KindString {
			c.Errorf(at, "expected a string, got %s; write it in quotes", item.Kind)
			continue
		}
		read(at, item)
	}
}

// ReadBool returns a Reader for true or false.
func ReadBool(target *bool) Reader {
	return func(_ Place, n *Node) { *target = n.Text == "true" }
}

package stricttoml

// ReadWith reads a text through parse, whose errors name the fix, and hands it to take.
func ReadWith[T any](c *Checker, parse func(text string) (T, error), take func(at Place, value T)) Reader {
	return func(at Place, n *Node) {
		value, err := parse(n.Text)
		if err != nil {
			c.Fault(at, "%s", err)
			return
		}
		take(at, value)
	}
}

// ReadText reads a text through parse, whose errors name the fix.
func ReadText[T any](c *Checker, target *T, parse func(text string) (T, error)) Reader {
	return ReadWith(c, parse, func(_ Place, value T) { *target = value })
}

// ReadCount reads an integer from low to high.
func ReadCount[T int | int64 | uint64](c *Checker, target *T, low, high T) Reader {
	return ReadText(c, target, func(literal string) (T, error) {
		count, err := ParseCount(literal, uint64(low), uint64(high))
		return T(count), err
	})
}

// ReadTexts reads a list of distinct texts.
func ReadTexts[T any](c *Checker, target *[]T, parse func(text string) (T, error)) Reader {
	read := ReadWith(c, parse, func(_ Place, value T) { *target = append(*target, value) })
	return func(at Place, n *Node) {
		seen := make(map[string]bool)
		c.EachText(at, n, func(at Place, n *Node) {
			if seen[n.Text] {
				c.Fault(at, "%s is listed twice; keep one", Quote(n.Text))
				return
			}
			seen[n.Text] = true
			read(at, n)
		})
	}
}

// EachText calls read for each text of a list, and reports what is no text.
func (c *Checker) EachText(at Place, n *Node, read Reader) {
	if !c.fewEnough(at, n) {
		return
	}
	for i, item := range n.Items {
		at := at.Item(i, item.Offset)
		if item.Kind != KindString {
			c.Fault(at, "expected a string, got %s; write it in quotes", item.Kind)
			continue
		}
		read(at, item)
	}
}

// ReadFlag reads true or false.
func ReadFlag(target *bool) Reader {
	return func(_ Place, n *Node) { *target = n.Text == "true" }
}

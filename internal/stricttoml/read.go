package stricttoml

// ReadText reads a text through parse, whose errors name the fix.
func ReadText[T any](c *Checker, target *T, parse func(text string) (T, error)) Reader {
	return func(at Place, n *Node) {
		value, err := parse(n.Text)
		if err != nil {
			c.Fault(at, "%s", err)
			return
		}
		*target = value
	}
}

// ReadCount reads an integer from low to high.
func ReadCount[T int | int64 | uint64](c *Checker, target *T, low, high T) Reader {
	return func(at Place, n *Node) {
		count, err := ParseCount(n.Text, uint64(low), uint64(high))
		if err != nil {
			c.Fault(at, "%s", err)
			return
		}
		*target = T(count)
	}
}

// ReadTexts reads a list of distinct texts.
func ReadTexts[T any](c *Checker, target *[]T, parse func(text string) (T, error)) Reader {
	return func(at Place, n *Node) {
		seen := make(map[string]bool)
		c.EachText(at, n, func(at Place, n *Node) {
			if seen[n.Text] {
				c.Fault(at, "%s is listed twice; keep one", Quote(n.Text))
				return
			}
			seen[n.Text] = true
			value, err := parse(n.Text)
			if err != nil {
				c.Fault(at, "%s", err)
				return
			}
			*target = append(*target, value)
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

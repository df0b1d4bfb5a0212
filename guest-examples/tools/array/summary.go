package array

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/tools/calculator"
)

// maxDigits is how many digits the numbers may have that sum and avg take, so
// that a sum is an expression that the calculator takes.
const maxDigits = 1000

// grouped calls add for each item with the name of its group: a text itself, or
// the JSON of another value as the first item of the group writes it.
func (c call) grouped(add func(name string, item jsonvalue.Value)) {
	names := map[string]string{}
	for _, item := range c.items {
		v := c.at(item)
		key := v.Key()
		if _, ok := names[key]; !ok {
			names[key] = v.String()
			if v.Kind() == jsonvalue.String {
				names[key] = v.Text()
			}
		}
		add(names[key], item)
	}
}

func groupBy(c call) (jsonvalue.Value, error) {
	var order []string
	groups := map[string][]jsonvalue.Value{}
	c.grouped(func(name string, item jsonvalue.Value) {
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], item)
	})
	members := &jsonvalue.Members{}
	for _, name := range order {
		members.Set(name, jsonvalue.NewArray(groups[name]))
	}
	return jsonvalue.NewObject(members), nil
}

func countBy(c call) (jsonvalue.Value, error) {
	var order []string
	counts := map[string]int64{}
	c.grouped(func(name string, _ jsonvalue.Value) {
		if counts[name] == 0 {
			order = append(order, name)
		}
		counts[name]++
	})
	members := &jsonvalue.Members{}
	for _, name := range order {
		members.Set(name, jsonvalue.NewInt(counts[name]))
	}
	return jsonvalue.NewObject(members), nil
}

func least(c call) (jsonvalue.Value, error) { return c.extreme(-1) }

func greatest(c call) (jsonvalue.Value, error) { return c.extreme(1) }

// extreme returns the first item of those that come last in the order with the
// given sign.
func (c call) extreme(sign int) (jsonvalue.Value, error) {
	if len(c.items) == 0 {
		return jsonvalue.Value{}, errNoItems
	}
	best := c.items[0]
	for _, item := range c.items[1:] {
		if c.at(item).Compare(c.at(best)) == sign {
			best = item
		}
	}
	return best, nil
}

func sum(c call) (jsonvalue.Value, error) { return c.calculate("") }

func average(c call) (jsonvalue.Value, error) {
	if len(c.items) == 0 {
		return jsonvalue.Value{}, errNoItems
	}
	return c.calculate(fmt.Sprintf("/%d", len(c.items)))
}

// calculate returns the value of the expression that is the sum of the items,
// with more after it. One without an end is rounded as the calculator does.
func (c call) calculate(more string) (jsonvalue.Value, error) {
	numbers := make([]jsonvalue.Value, len(c.items))
	for i, item := range c.items {
		if numbers[i] = c.at(item); numbers[i].Kind() != jsonvalue.Number {
			return jsonvalue.Value{}, fmt.Errorf("items[%d] gives %.80v, which is no number; use filter first, or a path that leads to numbers", i, numbers[i])
		}
	}
	total, places, err := jsonvalue.Sum(numbers, maxDigits)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	text, err := calculator.Evaluate(fmt.Sprintf("%de-%d%s", total, places, more))
	if err != nil {
		return jsonvalue.Value{}, err
	}
	digits, _, _ := strings.Cut(text, " ") // the note says that they are rounded
	return jsonvalue.Parse([]byte(digits))
}

package array

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/tools/calculator"
)

// maxDigits limits the digits of the numbers for sum and avg. The calculator evaluates their sum
// and must accept the expression.
const maxDigits = 1000

// grouped calls the function add for each item, with the name of the item's group. The name is the
// string at the path. If the value is not a string, the name is its JSON as the first item of the
// group writes it.
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

// extreme returns the first item with the largest value (sign 1) or with the smallest value (sign
// -1).
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

// calculate evaluates the expression that consists of the sum of the items and of more. It rounds a
// result with infinitely many decimal places as the calculator does.
func (c call) calculate(more string) (jsonvalue.Value, error) {
	numbers := make([]jsonvalue.Value, len(c.items))
	for i, item := range c.items {
		if numbers[i] = c.at(item); numbers[i].Kind() != jsonvalue.Number {
			return jsonvalue.Value{}, fmt.Errorf("items[%d] has the value %.80v, which is not a number; use filter first, or a path that selects numbers", i, numbers[i])
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
	digits, _, _ := strings.Cut(text, " ") // remove the note about rounding
	return jsonvalue.Parse([]byte(digits))
}

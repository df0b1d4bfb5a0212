package array

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/tools/calculator"
)

// maxDigits limits the digits of numbers for sum and avg, so that the calculator accepts the sum
// as an expression.
const maxDigits = 1000

// grouped calls add for each item with the name of its group. The name is the string at the path,
// or else the JSON of the value as the first item of the group writes it.
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

// extreme returns the first item with the largest value (sign 1) or the smallest (sign -1).
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

// calculate evaluates an expression: the sum of the items, followed by more. It rounds a result
// with endless decimals as the calculator does.
func (c call) calculate(more string) (jsonvalue.Value, error) {
	numbers := make([]jsonvalue.Value, len(c.items))
	for i, item := range c.items {
		if numbers[i] = c.at(item); numbers[i].Kind() != jsonvalue.Number {
			return jsonvalue.Value{}, fmt.Errorf("items[%d] gives %.80v, which is not a number; use filter first, or a path that leads to numbers", i, numbers[i])
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
	digits, _, _ := strings.Cut(text, " ") // drop the note about rounding
	return jsonvalue.Parse([]byte(digits))
}

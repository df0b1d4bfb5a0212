package catalogue

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// The time of the registration is the host's, and changes of the tool keep it.
func TestCreatedAtIsTheTimeOfTheRegistration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		registered := time.Now()
		c := withTool(t, echo(), &fake{})
		time.Sleep(time.Hour)
		_, updated := c.Update("echo", Patch{Title: ptr("Another")})
		_, replaced := c.Replace("echo", echo(), &fake{})
		for _, err := range []error{updated, replaced, c.Disable("echo"), c.Enable("echo")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if info, err := c.Get("echo"); err != nil || !info.CreatedAt.Equal(registered) {
			t.Errorf("created at %v, registered at %v, %v", info.CreatedAt, registered, err)
		}
	})
}

// Lists by category and tag, and the counts of Stats, agree with the tools after any sequence of
// changes.
func TestListsAndCountsFollowChanges(t *testing.T) {
	c, r := New(Options{}, Hooks{}), rand.New(rand.NewPCG(1, 2))
	want := make(map[string]Info) // the fields that the changes below set
	categories, tags := []string{"", "files", "web"}, []string{"a", "b"}
	for range 500 {
		name, category, tag := fmt.Sprint("tool", r.IntN(6)), categories[r.IntN(3)], tags[r.IntN(2)]
		info, known := want[name]
		removed, err := false, error(nil)
		switch change := r.IntN(4); {
		case !known:
			info.Spec = tool.Spec{Name: name, Category: category, Tags: []string{tag}}
			err = c.Register(info.Spec, &fake{})
		case change == 0:
			info.Category, info.Tags = category, []string{tag}
			_, err = c.Update(name, Patch{Category: &category, Tags: &info.Tags})
		case change == 1:
			info.Disabled = !info.Disabled
			err = c.setDisabled(name, info.Disabled)
		case change == 2:
			removed, err = c.Unregister(name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if want[name] = info; removed {
			delete(want, name)
		}

		stats := Stats{Categories: map[string]int{}}
		lists := make(map[Filter][]string)
		for _, info := range want {
			stats.Total++
			stats.Categories[info.Category]++
			if info.Disabled {
				stats.Disabled++
				continue
			}
			lists[Filter{Category: info.Category}] = append(lists[Filter{Category: info.Category}], info.Name)
			lists[Filter{Tag: info.Tags[0]}] = append(lists[Filter{Tag: info.Tags[0]}], info.Name)
		}
		if got := c.Stats(); !reflect.DeepEqual(got, stats) {
			t.Fatalf("got %+v, want %+v", got, stats)
		}
		for _, f := range []Filter{{Category: "files"}, {Category: "web"}, {Tag: "a"}, {Tag: "b"}} {
			slices.Sort(lists[f])
			if got := names(c.List(f)); !slices.Equal(got, lists[f]) {
				t.Fatalf("%+v: got %v, want %v", f, got, lists[f])
			}
		}
	}
}

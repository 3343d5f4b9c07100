package example

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

func titles(t *testing.T, list string) []string {
	t.Helper()
	_, text := send(t, "GET", list+"/api/todos", "")
	var items []struct{ Title string }
	if err := json.Unmarshal([]byte(text), &items); err != nil {
		t.Fatal(err)
	}
	titles := []string{}
	for _, item := range items {
		titles = append(titles, item.Title)
	}
	return titles
}

func expect(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v instead of %v", got, want)
	}
}

func TestNewItemIsInTheList(t *testing.T) {
	t.Parallel()
	list := newList(t)
	send(t, "POST", list+"/api/todos", `{"title": "Call Anna"}`)
	expect(t, titles(t, list), []string{"Buy milk", "Call Anna"})
}

func TestEachListIsAnotherList(t *testing.T) {
	t.Parallel()
	list, other := newList(t), newList(t)
	send(t, "DELETE", list+"/api/todos/1", "")
	expect(t, titles(t, list), []string{})
	expect(t, titles(t, other), []string{"Buy milk"})
}

// A test that changes the process cannot be parallel.
func TestReadsTheAddressFromTheEnvironment(t *testing.T) {
	t.Setenv("TODO_URL", newList(t))
	expect(t, titles(t, os.Getenv("TODO_URL")), []string{"Buy milk"})
}

func TestMissingItemIs404(t *testing.T) {
	t.Parallel()
	status, _ := send(t, "GET", newList(t)+"/api/todos/2", "")
	expect(t, status, 404)
}

func TestServiceFailsTwice(t *testing.T) {
	t.Parallel()
	list := newList(t)
	setFaults(t, list, `[{"status": 503, "times": 2}]`)
	for _, want := range []int{503, 503, 200} {
		status, _ := send(t, "GET", list+"/api/todos", "")
		expect(t, status, want)
	}
}

package example

import (
	"encoding/json"
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
	list := newList(t)
	send(t, "POST", list+"/api/todos", `{"title": "Call Anna"}`)
	expect(t, titles(t, list), []string{"Buy milk", "Call Anna"})
}

func TestListOfAnotherTestIsAnotherList(t *testing.T) {
	list := newList(t)
	send(t, "DELETE", list+"/api/todos/1", "")
	expect(t, titles(t, list), []string{})
}

func TestMissingItemIs404(t *testing.T) {
	status, _ := send(t, "GET", newList(t)+"/api/todos/2", "")
	expect(t, status, 404)
}

func TestServiceFailsTwice(t *testing.T) {
	list := newList(t)
	setFaults(t, list, `[{"status": 503, "times": 2}]`)
	for _, want := range []int{503, 503, 200} {
		status, _ := send(t, "GET", list+"/api/todos", "")
		expect(t, status, want)
	}
}

package example

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// The address of the service.
var service string

// Runs the tests with a service, which stops when its standard input is closed.
func TestMain(m *testing.M) {
	flags := []string{"--port", "0", "--exit-with-stdin", "on", "--admin-token", "secret"}
	command := exec.Command("node", append([]string{"../../dist/todo-service.cjs"}, flags...)...)
	command.Stderr = os.Stderr
	stdin, _ := command.StdinPipe()
	stdout, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(stdout)
	for service == "" && lines.Scan() {
		var line struct{ Port int }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Port != 0 {
			service = fmt.Sprintf("http://localhost:%d", line.Port)
		}
	}
	if service == "" {
		os.Exit(1)
	}
	status := m.Run()
	stdin.Close()
	command.Wait()
	os.Exit(status)
}

var lists atomic.Int64

// Returns the address of a new list with one item, which is removed after the test.
func newList(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("test-%d", lists.Add(1))
	admin(t, "PUT", service+"/admin/lists/"+name, `[{"title": "Buy milk"}]`)
	t.Cleanup(func() { admin(t, "DELETE", service+"/admin/lists/"+name, "") })
	return service + "/lists/" + name
}

// Sets the faults of a list.
func setFaults(t *testing.T, list, faults string) {
	t.Helper()
	admin(t, "PUT", list+"/admin/faults", `{"faults": `+faults+`}`)
}

func admin(t *testing.T, method, url, content string) {
	t.Helper()
	if status, text := send(t, method, url, content); status >= 400 {
		t.Fatalf("%s %s: %d %s", method, url, status, text)
	}
}

// Returns the status and the content of a response.
func send(t *testing.T, method, url, content string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer secret")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

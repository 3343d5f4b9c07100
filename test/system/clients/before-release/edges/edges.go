// Sends content as net/http does it: in chunks, with Expect, and after pauses.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const item = `{"title":"Go"}`

var client = &http.Client{Transport: &http.Transport{ExpectContinueTimeout: 5 * time.Second}}

func post(url string, expected int, header http.Header, content string) {
	// A reader of unknown length is sent in chunks.
	request, err := http.NewRequest("POST", url+"/api/todos", io.MultiReader(strings.NewReader(content)))
	check(err)
	request.Header = header.Clone()
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	check(err)
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	check(err)
	if response.StatusCode != expected {
		check(fmt.Errorf("%d instead of %d", response.StatusCode, expected))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	url, short := os.Args[1], os.Args[2]
	none := http.Header{}
	expect := http.Header{"Expect": {"100-continue"}}
	h2c := http.Header{"Connection": {"Upgrade, HTTP2-Settings"}, "Upgrade": {"h2c"}, "Http2-Settings": {"AAQAAP__"}}
	for i := 0; i < 10; i++ {
		post(url, 201, none, item)
		post(url, 201, expect, item)
		post(url, 201, h2c, item)
	}
	post(url, 400, expect, "{")
	post(short, 201, none, item)
	for _, pause := range os.Args[3:] {
		ms, err := strconv.Atoi(pause)
		check(err)
		time.Sleep(time.Duration(ms) * time.Millisecond)
		post(short, 201, none, item)
	}
}

// PocketBase as a framework, with the collection of the service and its paths.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strconv"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
)

func main() {
	data, err := os.MkdirTemp(os.Getenv("SCRATCH"), "pocketbase-")
	if err != nil {
		log.Fatal(err)
	}
	os.Args = []string{os.Args[0], "serve", "--http=127.0.0.1:" + os.Getenv("PORT")}
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: data, HideStartBanner: true})
	app.OnServe().BindFunc(func(event *core.ServeEvent) error {
		todos, err := create(event.App)
		if err != nil {
			return err
		}
		event.Router.GET("/api/todos", list)
		event.Router.POST("/api/todos", func(e *core.RequestEvent) error {
			record := core.NewRecord(todos)
			record.Set("priority", 3)
			return save(e, record, http.StatusCreated)
		})
		event.Router.GET("/api/todos/{id}", func(e *core.RequestEvent) error {
			record, err := e.App.FindRecordById("todos", e.Request.PathValue("id"))
			if err != nil {
				return e.NotFoundError("", err)
			}
			return e.JSON(http.StatusOK, record)
		})
		event.Router.PUT("/api/todos/{id}", func(e *core.RequestEvent) error {
			record, err := e.App.FindRecordById("todos", e.Request.PathValue("id"))
			if err != nil {
				return e.NotFoundError("", err)
			}
			return save(e, record, http.StatusOK)
		})
		return event.Next()
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

func list(e *core.RequestEvent) error {
	query := e.Request.URL.Query()
	filter, limit, offset := "", 0, 0
	if query.Get("search") != "" {
		filter = "title ~ {:text} || description ~ {:text}"
	}
	if text := query.Get("limit"); text != "" {
		limit, _ = strconv.Atoi(text)
		offset, _ = strconv.Atoi(query.Get("offset"))
	}
	values := dbx.Params{"text": query.Get("search")}
	records, err := e.App.FindRecordsByFilter("todos", filter, "@rowid", limit, offset, values)
	if err != nil {
		return e.BadRequestError("", err)
	}
	return e.JSON(http.StatusOK, records)
}

// save validates and stores a record with the members of the request.
func save(e *core.RequestEvent, record *core.Record, status int) error {
	values := map[string]any{}
	if err := e.BindBody(&values); err != nil {
		return e.BadRequestError("", err)
	}
	delete(values, "id")
	record.Load(values)
	if err := e.App.Save(record); err != nil {
		return e.BadRequestError("", err)
	}
	return e.JSON(status, record)
}

// create makes the collection, with the rows of the file in the environment variable SEED, one JSON
// text per line.
func create(app core.App) (*core.Collection, error) {
	least, most := 1.0, 5.0
	todos := core.NewBaseCollection("todos")
	todos.Fields.Add(
		&core.TextField{Name: "title", Required: true, Min: 1, Max: 200},
		&core.TextField{Name: "description", Max: 1000},
		&core.BoolField{Name: "completed"},
		&core.NumberField{Name: "priority", OnlyInt: true, Min: &least, Max: &most},
	)
	todos.Fields.GetByName("id").(*core.TextField).Min = 0
	if err := app.Save(todos); err != nil {
		return nil, err
	}
	file, err := os.Open(os.Getenv("SEED"))
	if err != nil {
		return todos, nil
	}
	defer file.Close()
	return todos, app.RunInTransaction(func(transaction core.App) error {
		lines := bufio.NewScanner(file)
		for id := 1; lines.Scan(); id++ {
			record := core.NewRecord(todos)
			values := map[string]any{"priority": 3}
			if err := json.Unmarshal(lines.Bytes(), &values); err != nil {
				return err
			}
			record.Load(values)
			record.Id = strconv.Itoa(id)
			if err := transaction.SaveNoValidate(record); err != nil {
				return err
			}
		}
		return lines.Err()
	})
}

// Uses the operations through the generated client, unmodified: main URL TOKEN
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	c "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	todos, stranger := api("").TodosAPI, api("another").AdminAPI
	admin, ctx := api(os.Args[2]).AdminAPI, context.Background()

	created := got(todos.CreateTodo(ctx).CreateTodo(*c.NewCreateTodo("Buy milk 😀")).Execute())
	expect(created.Priority == 3 && created.Title == "Buy milk 😀", created)
	more := []c.CreateTodo{*c.NewCreateTodo("Buy bread"), *c.NewCreateTodo("Call home")}
	several := got(todos.CreateTodos(ctx).CreateTodo(more).Execute())
	expect(len(several) == 2 && several[1].Title == "Call home", several)

	found, response, err := todos.ListTodos(ctx).TitleContains("milk").Completed(false).
		IdIn(list(created.Id)).Sort("-priority,title.ignoreCase").Search("MILK").Limit(5).
		Where(`{"or":[{"priority":3},{"completed":true}]}`).Execute()
	expect(err == nil && len(found) == 1 && found[0].Id == created.Id, found, err)
	expect(response.Header.Get("X-Total-Count") == "1", response.Header)

	_, response, err = todos.GetTodo(ctx, created.Id).Execute()
	tag := response.Header.Get("ETag")
	done, open := true, false
	update := c.UpdateTodo{Completed: *c.NewNullableBool(&done)}
	put := got(todos.UpdateTodo(ctx, created.Id).UpdateTodo(update).IfMatch(tag).Execute())
	expect(put.Completed && put.Title == created.Title, put)
	patch := c.NewPatchTodo()
	patch.SetPriority(5)
	_, _, err = todos.PatchTodo(ctx, created.Id).PatchTodo(*patch).IfMatch(tag).Execute()
	expect(problem(err).Code == "precondition-failed", err)
	patched := got(todos.PatchTodo(ctx, created.Id).PatchTodo(*patch).Execute())
	expect(patched.Priority == 5, patched)

	undone := c.PatchTodo{Completed: &open}
	changed := got(todos.PatchTodos(ctx).PatchTodo(undone).PriorityGte(5).Execute())
	expect(changed.Updated == 1, changed)
	_, _, err = todos.DeleteTodos(ctx).Execute()
	expect(problem(err).Code == "condition-required", err)
	expect(got(todos.DeleteTodos(ctx).TitleStartsWith("B").Execute()).Deleted == 2)
	_, err = todos.DeleteTodo(ctx, several[1].Id).Execute()
	expect(err == nil, err)
	_, _, err = todos.GetTodo(ctx, created.Id).Execute()
	expect(problem(err).Code == "not-found", err)

	refused := c.NewCreateTodo(" ")
	refused.SetPriority(9)
	_, _, err = todos.CreateTodo(ctx).CreateTodo(*refused).Execute()
	expect(problem(err).Errors[1].Code == "maximum", err)

	status, times, abort := int32(503), int32(1), "after"
	faults := []c.Fault{{Status: &status, Times: &times, Headers: map[string]interface{}{"X-Fault": "1"}},
		{Abort: &abort}}
	listed := got(admin.SetFaults(ctx).Faults(*c.NewFaults(faults)).Execute())
	expect(*listed.Faults[1].Abort == "after" && listed.Faults[0].Hits == 0, listed)
	_, response, err = todos.ListTodos(ctx).Execute()
	expect(problem(err).Code == "injected-fault" && response.Header.Get("X-Fault") == "1", err)
	expect(len(got(admin.ClearFaults(ctx).Execute()).Faults) == 0)
	journal := got(admin.GetRequests(ctx).Method("POST").Status(201).Execute())
	expect(len(journal.Requests) == 2, journal)
	_, err = stranger.Reset(ctx).Execute()
	expect(err != nil && err.(*c.GenericOpenAPIError).Model() != nil, err)
	// Without an argument it sends null, which is no list of items.
	_, err = admin.Reset(ctx).SeedInner([]c.SeedInner{*c.NewSeedInner("seeded")}).Execute()
	expect(err == nil && len(got(todos.ListTodos(ctx).Execute())) == 1, err)
}

func api(token string) *c.APIClient {
	configuration := c.NewConfiguration()
	configuration.Servers = c.ServerConfigurations{{URL: os.Args[1]}}
	configuration.AddDefaultHeader("Authorization", "Bearer "+token)
	return c.NewAPIClient(configuration)
}

func got[T any](value T, _ *http.Response, err error) T {
	expect(err == nil, err)
	return value
}

func problem(err error) c.Problem {
	failure, isFailure := err.(*c.GenericOpenAPIError)
	expect(isFailure, err)
	return failure.Model().(c.Problem)
}

func list[T any](values ...T) []T { return values }

func expect(isTrue bool, details ...any) {
	if !isTrue {
		panic(fmt.Sprint(details...))
	}
}

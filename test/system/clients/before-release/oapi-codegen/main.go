// Uses the operations through the generated client, unmodified: main URL TOKEN
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.com/oapi-codegen/todo"
)

var ctx = context.Background()

func main() {
	client, admin, stranger := api(""), api(os.Args[2]), api("another")

	created := got(client.CreateTodoWithResponse(ctx, todo.CreateTodo{Title: "Buy milk 😀"})).JSON201
	expect(created.Priority == 3, created)
	more := []todo.CreateTodo{{Title: "Buy bread"}, {Title: "Call home"}}
	several := *got(client.CreateTodosWithResponse(ctx, more)).JSON201
	expect(len(several) == 2 && several[1].Title == "Call home", several)

	query := todo.ListTodosParams{
		TitleContains: pointer("milk"), Completed: pointer(false), IdIn: pointer(list(created.Id)),
		Search: pointer("MILK"), Sort: pointer("-priority,id"), Limit: pointer(5),
		Where: pointer(`{"or":[{"priority":3},{"completed":true}]}`),
	}
	found := got(client.ListTodosWithResponse(ctx, &query))
	expect(len(*found.JSON200) == 1 && (*found.JSON200)[0].Id == created.Id, string(found.Body))
	expect(found.HTTPResponse.Header.Get("X-Total-Count") == "1", found.HTTPResponse.Header)

	tag := got(client.GetTodoWithResponse(ctx, created.Id, nil)).HTTPResponse.Header.Get("ETag")
	put := got(client.UpdateTodoWithResponse(ctx, created.Id, &todo.UpdateTodoParams{IfMatch: &tag},
		todo.UpdateTodo{Completed: pointer(true)}))
	expect(put.JSON200.Completed && put.JSON200.Title == created.Title, string(put.Body))
	patch := todo.PatchTodo{Priority: pointer[int32](5)}
	stale := got(client.PatchTodoWithResponse(ctx, created.Id,
		&todo.PatchTodoParams{IfMatch: &tag}, patch))
	expect(stale.ApplicationproblemJSONDefault.Code == "precondition-failed", string(stale.Body))
	patched := got(client.PatchTodoWithResponse(ctx, created.Id,
		nil, patch))
	expect(patched.JSON200.Priority == 5, string(patched.Body))

	undone := got(client.PatchTodosWithResponse(ctx,
		&todo.PatchTodosParams{PriorityGte: pointer[int32](5)}, todo.PatchTodo{Completed: pointer(false)}))
	expect(undone.JSON200.Updated == 1, string(undone.Body))
	unmeant := got(client.DeleteTodosWithResponse(ctx, nil))
	expect(unmeant.ApplicationproblemJSONDefault.Code == "condition-required", string(unmeant.Body))
	deleted := got(client.DeleteTodosWithResponse(ctx,
		&todo.DeleteTodosParams{TitleStartsWith: pointer("B")}))
	expect(deleted.JSON200.Deleted == 2, string(deleted.Body))
	gone := got(client.DeleteTodoWithResponse(ctx, several[1].Id, nil))
	expect(gone.StatusCode() == 204, gone.Status())
	missing := got(client.GetTodoWithResponse(ctx, created.Id, nil))
	expect(missing.ApplicationproblemJSONDefault.Code == "not-found", string(missing.Body))
	refused := got(client.CreateTodoWithResponse(ctx,
		todo.CreateTodo{Title: " ", Priority: pointer[int32](9)}))
	errors := *refused.ApplicationproblemJSONDefault.Errors
	expect(errors[1].Code == "maximum", errors)

	injected := todo.Fault{Status: pointer(503), Times: pointer(1), Headers: &map[string]interface{}{"Retry-After": "1"}}
	lost := todo.Fault{Abort: pointer(todo.FaultAbort("after"))}
	listed := got(admin.SetFaultsWithResponse(ctx, todo.Faults{Faults: []todo.Fault{injected, lost}}))
	expect(listed.JSON200.Faults[0].Hits == 0, string(listed.Body))
	failed := got(client.ListTodosWithResponse(ctx, nil))
	expect(failed.ApplicationproblemJSONDefault.Code == "injected-fault", string(failed.Body))
	expect(len(got(admin.ClearFaultsWithResponse(ctx)).JSON200.Faults) == 0)
	journal := got(admin.GetRequestsWithResponse(ctx,
		&todo.GetRequestsParams{Method: pointer("POST"), Status: pointer(201)}))
	expect(len(journal.JSON200.Requests) == 2, string(journal.Body))
	expect(got(stranger.ResetWithResponse(ctx, nil)).StatusCode() == 401)
	reset := got(admin.ResetWithResponse(ctx, todo.Seed{{Title: "seeded"}}))
	expect(reset.StatusCode() == 204, string(reset.Body))
	expect(len(*got(client.ListTodosWithResponse(ctx, nil)).JSON200) == 1)
}

func api(token string) *todo.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	client, err := todo.NewClientWithResponses(os.Args[1], todo.WithRequestEditorFn(authorize))
	expect(err == nil, err)
	return client
}

func got[T any](response T, err error) T {
	expect(err == nil, err)
	return response
}

func pointer[T any](value T) *T { return &value }

func list[T any](values ...T) []T { return values }

func expect(isTrue bool, details ...any) {
	if !isTrue {
		panic(fmt.Sprint(details...))
	}
}

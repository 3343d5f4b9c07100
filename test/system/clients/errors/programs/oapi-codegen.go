// Handles errors by the types that oapi-codegen has made of them: main URL
package main

import (
	"context"
	"fmt"
	"os"

	"client/todo"
)

func main() {
	client, err := todo.NewClientWithResponses(os.Args[1])
	expect(err == nil, err)
	ctx := context.Background()

	got, err := client.GetTodoWithResponse(ctx, 999, nil)
	expect(err == nil && got.JSON200 == nil, err)
	expect(got.ApplicationproblemJSON404.Code == "not-found", got.Status())

	tag, completed := `"old"`, true
	update := todo.UpdateTodo{Completed: &completed}
	put, err := client.UpdateTodoWithResponse(ctx, 1, &todo.UpdateTodoParams{IfMatch: &tag}, update)
	expect(err == nil && put.ApplicationproblemJSON404 == nil, err)
	expect(put.ApplicationproblemJSON412.Code == "precondition-failed", put.Status())
}

func expect(isTrue bool, details ...any) {
	if !isTrue {
		panic(fmt.Sprint(details...))
	}
}

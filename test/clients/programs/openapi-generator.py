"""Uses the operations through the generated client, unmodified: openapi-generator.py URL TOKEN"""

import json
import sys
import threading

import todo_client as c

url, token = sys.argv[1:]


def client(access_token=None):
    configuration = c.Configuration(host=url)
    configuration.access_token = access_token
    return c.ApiClient(configuration)


def problem(call, *args, **options):
    """Makes a call that must fail, and returns what the response says."""
    try:
        call(*args, **options)
    except c.ApiException as error:
        return json.loads(error.body)
    raise AssertionError("the call succeeded")


todos, admin = c.TodosApi(client()), c.AdminApi(client(token))

created = todos.create_todo(c.CreateTodo(title="Buy milk 😀"))
assert (created.id, created.priority) == (1, 3), created

# This version writes a boolean as "False", which newer ones do not.
query = {"title_contains": "milk", "completed": "false", "id_in": [1, 2], "sort": "-priority,id"}
where = json.dumps({"or": [{"priority": 3}, {"completed": True}]})
found, status, headers = todos.list_todos_with_http_info(where=where, search="MILK", limit=5, **query)
assert (found, status, headers["X-Total-Count"]) == ([created], 200, "1"), found
assert todos.list_todos(priority_gte=4) == []

got, status, headers = todos.get_todo_with_http_info(created.id)
assert got == created, got
put = todos.update_todo(created.id, c.UpdateTodo(completed=True), if_match=headers["ETag"])
assert (put.completed, put.title) == (True, created.title), put
patch = c.PatchTodo(priority=5)
stale = problem(todos.patch_todo, created.id, patch, if_match=headers["ETag"])
assert stale["code"] == "precondition-failed", stale
assert todos.patch_todo(created.id, patch).priority == 5

assert todos.delete_todo(created.id) is None
missing = problem(todos.get_todo, created.id)
assert missing["code"] == "not-found", missing
assert problem(todos.delete_todos)["code"] == "condition-required"

for title in ["", " ", "\u00a0\u3000"]:
    try:
        c.CreateTodo(title=title)
    except ValueError:
        continue
    raise AssertionError(f"the client takes the title {title!r}")

# An answer with `abort`, which has two types, cannot be read by this version.
fault = c.Fault(path="/api/todos", status=500, headers={"Retry-After": "1"}, times=1)
listed = admin.set_faults(c.Faults(faults=[fault])).faults
assert [(each.status, each.times, each.hits) for each in listed] == [(500, 1, 0)], listed
assert problem(todos.list_todos)["code"] == "injected-fault"
assert admin.get_faults().faults[0].hits == 1
assert admin.clear_faults().faults == []

journal = admin.get_requests(method="POST", path="/api/todos", status=201).requests
assert [each.content for each in journal] == ['{"title": "Buy milk \\ud83d\\ude00"}'], journal
assert admin.clear_requests() is None
assert admin.get_requests().requests == []
stranger = c.AdminApi(client("another"))
assert problem(stranger.reset)["code"] == "unauthorized"

texts = []
reader = threading.Thread(target=lambda: texts.append(todos.watch_todos()))
reader.start()
while reader.is_alive():
    admin.cut_streams()
    reader.join(0.05)
assert "event: ready\n" in texts[0], texts

admin.reset(request_body=[{"title": "seeded", "completed": True}])
assert [each.title for each in todos.list_todos()] == ["seeded"]
assert todos.delete_todos(where="{}").deleted == 1
admin.reset()
assert todos.list_todos() == []

"""Uses the operations through the generated client, unmodified: main.py URL TOKEN"""

import json
import sys
import threading

import openapi_client as c

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

more = [c.CreateTodo(title="Buy bread"), c.CreateTodo(title="Call home")]
several = todos.create_todos(more)
assert [(each.id, each.title) for each in several] == [(2, "Buy bread"), (3, "Call home")], several

query = {"title_contains": "milk", "completed": False, "id_in": [1, 2], "sort": "-priority,id"}
where = json.dumps({"or": [{"priority": 3}, {"completed": True}]})
found = todos.list_todos_with_http_info(where=where, search="MILK", limit=5, **query)
assert (found.data, found.headers["X-Total-Count"]) == ([created], "1"), found
assert todos.list_todos(priority_gte=4) == []

got = todos.get_todo_with_http_info(created.id)
assert got.data == created, got
tag = got.headers["ETag"]
put = todos.update_todo(created.id, c.UpdateTodo(completed=True), if_match=tag)
assert (put.completed, put.title) == (True, created.title), put
patch = c.PatchTodo(priority=5)
stale = problem(todos.patch_todo, created.id, patch, if_match=tag)
assert stale["code"] == "precondition-failed", stale
assert todos.patch_todo(created.id, patch).priority == 5

undone = todos.patch_todos(c.PatchTodo(completed=False), priority_gte=5)
assert undone.updated == 1, undone
assert todos.delete_todos(title_starts_with="B").deleted == 2
assert todos.delete_todo(several[1].id) is None
missing = problem(todos.get_todo, created.id)
assert missing["code"] == "not-found", missing
assert problem(todos.delete_todos)["code"] == "condition-required"

for title in ["", " ", "\u00a0\u3000"]:
    try:
        c.CreateTodo(title=title)
    except ValueError:
        continue
    raise AssertionError(f"the client takes the title {title!r}")

fault = c.Fault(path="/api/todos", status=500, headers={"Retry-After": "1"}, times=1)
listed = admin.set_faults(c.Faults(faults=[fault, c.Fault(abort="after")])).faults
assert [(each.abort, each.hits) for each in listed] == [(None, 0), ("after", 0)], listed
assert problem(todos.list_todos)["code"] == "injected-fault"
assert admin.get_faults().faults[0].hits == 1
assert admin.clear_faults().faults == []

journal = admin.get_requests(method="POST", route="/api/todos", status=201).requests
assert [json.loads(each.content)["title"] for each in journal] == ["Buy milk 😀"], journal
assert admin.clear_requests() is None
assert admin.get_requests().requests == []
stranger = c.AdminApi(client("another"))
assert problem(stranger.reset)["code"] == "unauthorized"

texts = []
# Its Accept is for a problem, unless it is told what to accept.
accept = {"Accept": "text/event-stream"}
reader = threading.Thread(target=lambda: texts.append(todos.watch_todos(_headers=accept)))
reader.start()
while reader.is_alive():
    admin.cut_streams()
    reader.join(0.05)
assert "event: ready\n" in texts[0], texts

admin.reset(seed_inner=[c.SeedInner(title="seeded", completed=True)])
assert [each.title for each in todos.list_todos()] == ["seeded"]
assert todos.delete_todos(where="{}").deleted == 1
admin.reset()
assert todos.list_todos() == []

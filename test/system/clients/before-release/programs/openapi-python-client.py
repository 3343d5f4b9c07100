"""Uses the operations through the generated client, unmodified: openapi-python-client.py URL TOKEN"""

import json
import sys
import threading

import httpx
from todo_client import AuthenticatedClient, Client
from todo_client import models as m
from todo_client.api.admin import (
    clear_faults,
    clear_requests,
    cut_streams,
    get_faults,
    get_requests,
    reset,
    set_faults,
)
from todo_client.api.todos import (
    create_todo,
    create_todos,
    delete_todo,
    delete_todos,
    get_todo,
    list_todos,
    patch_todo,
    patch_todos,
    update_todo,
    watch_todos,
)

url, token = sys.argv[1:]
client = Client(base_url=url, raise_on_unexpected_status=True)
admin = AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True)

created = create_todo.sync(client=client, body=m.CreateTodo(title="Buy milk 😀"))
assert isinstance(created, m.Todo) and (created.id, created.priority) == (1, 3), created

query = {"title_contains": "milk", "completed": False, "id_in": [1, 2], "sort": "-priority,id"}
where = json.dumps({"or": [{"priority": 3}, {"completed": True}]})
found = list_todos.sync_detailed(client=client, where=where, search="MILK", limit=5, **query)
assert (found.parsed, found.headers["X-Total-Count"]) == ([created], "1"), found
assert list_todos.sync(client=client, priority_gte=4) == []
unsorted = list_todos.sync(client=client, sort="nothing")
assert unsorted.code == "invalid-parameter", unsorted

got = get_todo.sync_detailed(created.id, client=client)
assert got.parsed == created, got
tag = got.headers["ETag"]
update = m.UpdateTodo(completed=True, title=None)
put = update_todo.sync(created.id, client=client, body=update, if_match=tag)
assert (put.completed, put.title) == (True, created.title), put
patch = m.PatchTodo(priority=5)
stale = patch_todo.sync(created.id, client=client, body=patch, if_match=tag)
assert stale.code == "precondition-failed", stale
assert patch_todo.sync(created.id, client=client, body=patch).priority == 5

more = [m.CreateTodo(title="Buy bread"), m.CreateTodo(title="Call home")]
several = create_todos.sync(client=client, body=more)
assert [each.title for each in several] == ["Buy bread", "Call home"], several
undone = patch_todos.sync(client=client, body=m.PatchTodo(completed=False), priority_gte=4)
assert undone.updated == 1, undone
assert delete_todos.sync(client=client, id_gt=created.id).deleted == 2

assert delete_todo.sync_detailed(created.id, client=client).status_code == 204
assert get_todo.sync(created.id, client=client).code == "not-found"
assert delete_todos.sync(client=client).code == "condition-required"

refused = create_todo.sync(client=client, body=m.CreateTodo(title=" ", priority=9))
codes = [each.code for each in refused.errors]
assert codes == ["not-blank", "maximum"], refused

retry = m.FaultHeaders.from_dict({"Retry-After": "1"})
faults = [
    m.Fault(method="GET", path="/api/todos", status=503, headers=retry, times=1),
    m.Fault(method="POST", abort=m.FaultAbort.AFTER, times=1),
    m.Fault(method="PUT", abort=m.FaultAbort.BEFORE),
]
listed = set_faults.sync(client=admin, body=m.Faults(faults=faults)).faults
assert [each.abort for each in listed[1:]] == ["after", "before"], listed
injected = list_todos.sync_detailed(client=client)
assert injected.parsed.code == "injected-fault", injected
assert injected.headers["Retry-After"] == "1", injected
try:
    create_todo.sync(client=client, body=m.CreateTodo(title="kept"))
    raise AssertionError("the response is not lost")
except httpx.RemoteProtocolError:
    pass
assert [each.title for each in list_todos.sync(client=client)] == ["kept"]
assert [each.hits for each in get_faults.sync(client=admin).faults] == [1, 1, 0]
assert clear_faults.sync(client=admin).faults == []

journal = get_requests.sync(client=admin, method="POST", route="/api/todos", status=201).requests
assert [each.content for each in journal] == ['{"title":"Buy milk 😀"}'], journal
assert clear_requests.sync_detailed(client=admin).status_code == 204
assert get_requests.sync(client=admin).requests == []
stranger = AuthenticatedClient(base_url=url, token="another")
assert reset.sync(client=stranger).code == "unauthorized"

texts = []
reader = threading.Thread(target=lambda: texts.append(watch_todos.sync(client=client)))
reader.start()
while reader.is_alive():
    cut_streams.sync_detailed(client=admin)
    reader.join(0.05)
assert "event: ready\n" in texts[0], texts

seed = [m.SeedItem.from_dict({"title": "seeded", "completed": True})]
assert reset.sync_detailed(client=admin, body=seed).status_code == 204
assert [each.title for each in list_todos.sync(client=client)] == ["seeded"]
assert delete_todos.sync(client=client, where="{}").deleted == 1
assert reset.sync_detailed(client=admin).status_code == 204
assert list_todos.sync(client=client) == []

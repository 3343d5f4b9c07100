"""Uses every operation through the generated client, unmodified: program.py URL TOKEN"""

import json
import sys
from threading import Thread

from openapi_client import *
from openapi_client.exceptions import ApiException, NotFoundException, UnauthorizedException

url, token = sys.argv[1:]
calls = set()


class Recorded:
    """An API whose calls are noted by the name of the operation."""

    def __init__(self, api):
        self.api = api

    def __getattr__(self, name):
        calls.add(name.removesuffix('_with_http_info'))
        return getattr(self.api, name)


def client(access_token=None):
    return ApiClient(Configuration(host=url, access_token=access_token))


def problem(status, call, *args, **options):
    """The problem that a call must fail with."""
    try:
        call(*args, **options)
    except ApiException as error:
        assert error.status == status, error
        assert isinstance(error.data, Problem), error
        return error.data
    raise AssertionError('the call succeeded')


apis = [TodosApi, AdminApi, AboutApi, OperationsApi]
todos, admin, about, operations = [Recorded(api(client(token))) for api in apis]

created = todos.create_todo(CreateTodo(title='Buy milk 😀'))
assert (created.priority, created.title) == (3, 'Buy milk 😀')
several = todos.create_todos([CreateTodo(title='Buy bread'), CreateTodo(title='Call home')])
assert [each.title for each in several] == ['Buy bread', 'Call home']

where = json.dumps({'or': [{'priority': 3}, {'completed': True}]})
found = todos.list_todos_with_http_info(
    title_contains='milk', completed=False, id_in=[created.id], where=where, search='MILK',
    sort='-priority,title.ignoreCase', limit=5,
)
assert found.data == [created]
assert found.headers['X-Total-Count'] == '1'

tag = todos.get_todo_with_http_info(created.id).headers['ETag']
put = todos.update_todo(created.id, UpdateTodo(completed=True), if_match=tag)
assert put == created.model_copy(update={'completed': True})
# What has been read can be changed and sent back: members that a request cannot set are left out.
read = UpdateTodo(**put.model_dump())
read.title = 'Buy oat milk'
assert todos.update_todo(created.id, read).title == 'Buy oat milk'
patch = PatchTodo(priority=5)
assert problem(412, todos.patch_todo, created.id, patch, if_match=tag).code == 'precondition-failed'
assert todos.patch_todo(created.id, patch).priority == 5

assert todos.patch_todos(PatchTodo(completed=False), priority_gte=5).updated == 1
assert problem(400, todos.delete_todos).code == 'condition-required'
assert todos.delete_todos(title_starts_with='Buy').deleted == 2
todos.delete_todo(several[1].id)
try:
    todos.get_todo(created.id)
    raise AssertionError('the call succeeded')
except NotFoundException as error:
    assert error.data.code == 'not-found'
refused = CreateTodo.model_construct(title=' ', priority=9)
errors = problem(400, todos.create_todo, refused).errors
assert [each.code for each in errors] == ['not-blank', 'maximum']

# With `Retry-After`, urllib3 would repeat the request by itself.
fault = Fault(status=503, times=1, headers={'X-Fault': '1'})
listed = admin.set_faults(Faults(faults=[fault, Fault(abort='after')])).faults
assert [(each.abort, each.hits) for each in listed] == [(None, 0), ('after', 0)]
assert problem(503, todos.list_todos).code == 'injected-fault'
assert admin.get_faults().faults[0].hits == 1
assert admin.clear_faults().faults == []

journal = admin.get_requests(method='POST', path='/api/todos', status=201).requests
assert len(journal) == 2
admin.clear_requests()
assert admin.get_requests().requests == []
try:
    AdminApi(client('x')).reset([])
    raise AssertionError('the call succeeded')
except UnauthorizedException as error:
    assert error.data.code == 'unauthorized'

# The generator knows no event streams: `watch_todos` accepts only the type of its errors by itself, and
# returns when the stream has ended.
events = []
accept = {'Accept': 'text/event-stream'}
watching = Thread(target=lambda: events.append(todos.watch_todos(_headers=accept)))
watching.start()
while watching.is_alive():
    admin.cut_streams()
    watching.join(0.05)
assert 'event: ready' in events[0]

admin.reset([SeedInner(title='seeded', completed=True)])
assert [(each.title, each.completed) for each in todos.list_todos()] == [('seeded', True)]

made = admin.put_list('ben', seed_inner=[SeedInner(title='Sleep')])
assert isinstance(made, NamedList) and (made.name, made.path, made.items) == ('ben', '/lists/ben', 1)
assert 'ben' in [each.name for each in admin.get_lists()]
admin.remove_list('ben')
assert 'ben' not in [each.name for each in admin.get_lists()]

assert about.get_page().links
assert about.get_api_document().openapi.startswith('3.1')
assert operations.get_liveness().status == 'ok'
assert operations.get_readiness().status == 'ok'
assert 'http_server_request_duration_seconds' in operations.get_metrics()

known = {name for api in apis for name in vars(api) if not name.startswith('_')}
variations = ('_with_http_info', '_without_preload_content')
operations_of_apis = {name for name in known if not name.endswith(variations)}
assert calls == operations_of_apis, calls ^ operations_of_apis

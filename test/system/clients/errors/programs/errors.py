"""Handles errors by the types that the generator has made of them: errors.py URL"""

import sys

from openapi_client import ApiClient, Configuration, Problem, TodosApi, UpdateTodo
from openapi_client.exceptions import ApiException, NotFoundException

todos = TodosApi(ApiClient(Configuration(host=sys.argv[1])))

try:
    todos.get_todo(999)
    raise AssertionError('the call succeeded')
except NotFoundException as error:
    assert isinstance(error.data, Problem)
    assert error.data.code == 'not-found'

try:
    todos.update_todo(1, UpdateTodo(completed=True), if_match='"old"')
    raise AssertionError('the call succeeded')
except ApiException as error:
    assert isinstance(error.data, Problem)
    assert (error.status, error.data.code) == (412, 'precondition-failed')

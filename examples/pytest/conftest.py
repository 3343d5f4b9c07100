"""Starts the service, and gives each test a list of its own."""

import json
import subprocess
import uuid
from pathlib import Path

import pytest
import requests

PROGRAM = Path(__file__).parent / '../../dist/todo-service.cjs'
FLAGS = ['--port', '0', '--exit-with-stdin', 'on', '--admin-token', 'secret']
ADMIN = {'Authorization': 'Bearer secret'}


@pytest.fixture(scope='session')
def service():
    """The address of a service, which stops when its standard input is closed."""
    pipe = subprocess.PIPE
    with subprocess.Popen(['node', PROGRAM, *FLAGS], stdin=pipe, stdout=pipe) as process:
        lines = map(json.loads, process.stdout)
        port = next((line['port'] for line in lines if 'port' in line), None)
        assert port is not None, 'the service has not started: see its standard error'
        yield f'http://localhost:{port}'
        process.stdin.close()


@pytest.fixture
def new_list(service):
    """Makes a list with one item, and returns its address. It is removed after the test."""
    names = []

    def make():
        name = uuid.uuid4().hex
        admin('PUT', f'{service}/admin/lists/{name}', [{'title': 'Buy milk'}])
        names.append(name)
        return f'{service}/lists/{name}'

    yield make
    for name in names:
        admin('DELETE', f'{service}/admin/lists/{name}')


@pytest.fixture
def todos(new_list):
    """The address of the list of the test, which its setup gets, too."""
    return new_list()


@pytest.fixture
def faults(todos):
    """Sets the faults of the list."""
    return lambda *faults: admin('PUT', f'{todos}/admin/faults', {'faults': faults})


def admin(method, url, content=None):
    response = requests.request(method, url, json=content, headers=ADMIN)
    assert response.ok, response.text

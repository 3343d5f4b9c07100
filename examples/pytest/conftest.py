"""Starts the service, and gives each test a list of its own."""

import json
import subprocess
import uuid
from pathlib import Path

import pytest
import requests

START = Path(__file__).parent / '../../start.js'
FLAGS = ['--port', '0', '--exit-with-stdin', 'on', '--admin-token', 'secret']
ADMIN = {'Authorization': 'Bearer secret'}


@pytest.fixture(scope='session')
def service():
    """The address of a service, which stops when its standard input is closed."""
    pipe = subprocess.PIPE
    with subprocess.Popen(['node', START, *FLAGS], stdin=pipe, stdout=pipe) as process:
        lines = map(json.loads, process.stdout)
        port = next((line['port'] for line in lines if 'port' in line), None)
        assert port is not None, 'the service has not started: see its standard error'
        yield f'http://localhost:{port}'
        process.stdin.close()


@pytest.fixture
def todos(service):
    """The address of a list with one item, which is removed after the test."""
    name = uuid.uuid4().hex
    seed = [{'title': 'Buy milk'}]
    made = requests.put(f'{service}/admin/lists/{name}', json=seed, headers=ADMIN)
    made.raise_for_status()
    yield f'{service}/lists/{name}'
    requests.delete(f'{service}/admin/lists/{name}', headers=ADMIN)


@pytest.fixture
def faults(todos):
    """Sets the faults of the list."""

    def set_faults(*faults):
        content = {'faults': faults}
        requests.put(f'{todos}/admin/faults', json=content, headers=ADMIN).raise_for_status()

    return set_faults

import pytest
import requests


def titles(todos):
    return [item['title'] for item in requests.get(f'{todos}/api/todos').json()]


def test_a_new_item_is_in_the_list(todos):
    requests.post(f'{todos}/api/todos', json={'title': 'Call Anna'}).raise_for_status()
    assert titles(todos) == ['Buy milk', 'Call Anna']


def test_each_list_is_another_list(todos, new_list):
    other = new_list()
    assert requests.delete(f'{todos}/api/todos/1').status_code == 204
    assert titles(todos) == []
    assert titles(other) == ['Buy milk']


@pytest.fixture
def filled(todos):
    requests.post(f'{todos}/api/todos', json={'title': 'Sleep'}).raise_for_status()


def test_the_list_is_that_of_the_setup(filled, todos):
    assert titles(todos) == ['Buy milk', 'Sleep']


def test_a_missing_item_is_404(todos):
    response = requests.get(f'{todos}/api/todos/2')
    assert (response.status_code, response.json()['code']) == (404, 'not-found')


def test_the_service_fails_twice(todos, faults):
    faults({'status': 503, 'times': 2})
    statuses = [requests.get(f'{todos}/api/todos').status_code for _ in range(3)]
    assert statuses == [503, 503, 200]

"""Sends content as http.client does it: in chunks, with Expect, and after pauses."""

import sys
import time
from http.client import HTTPConnection

ITEM = b'{"title":"Python"}'
url, short, *_ = sys.argv[1:]
pauses = [int(ms) for ms in sys.argv[3:]]


def connect(url):
    return HTTPConnection(url.removeprefix('http://'), timeout=10)


def post(connection, expected, headers={}, content=ITEM):
    connection.putrequest('POST', '/api/todos')
    for name, value in {'Content-Type': 'application/json', **headers}.items():
        connection.putheader(name, value)
    connection.putheader('Transfer-Encoding', 'chunked')
    connection.endheaders()
    connection.send(b'%x\r\n%s\r\n0\r\n\r\n' % (len(content), content))
    response = connection.getresponse()
    response.read()
    assert response.status == expected, f'{response.status} instead of {expected}'


connection = connect(url)
offer = {'Connection': 'Upgrade, HTTP2-Settings', 'Upgrade': 'h2c', 'HTTP2-Settings': 'AAQAAP__'}
for _ in range(10):
    post(connection, 201)
    # http.client skips the interim response.
    post(connection, 201, {'Expect': '100-continue'})
    post(connection, 201, offer)
post(connection, 400, content=b'{')
post(connection, 201)
connection = connect(short)
post(connection, 201)
for pause in pauses:
    time.sleep(pause / 1000)
    try:
        post(connection, 201)
    except ConnectionError:
        # http.client leaves it to its user to open another one.
        connection = connect(short)
        post(connection, 201)

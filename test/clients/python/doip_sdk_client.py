"""The checks of `doip-sdk`: one function that sends segments and returns segments."""

import json
import tempfile
from pathlib import Path

from checks import CONFIG, ask_service, bytes_of, cannot, check, in_threads, raises, run
from doip_sdk import Operation, ResponseStatus, send_request

FOLDER = Path(tempfile.mkdtemp())
LOGIN = {'authentication': {'username': CONFIG.username, 'password': CONFIG.password}}
OK = ResponseStatus.SUCCESS.value


def perform(target: str, operation: str | Operation, *segments: dict | Path, login: dict = LOGIN, **attributes) -> list[bytearray]:
    """All segments of a response. The time-out is for each read; its default of 5 s is enough, but not on a machine that is busy."""
    request = {'targetId': target, 'operationId': operation.value if isinstance(operation, Operation) else operation, 'attributes': attributes}
    return send_request(CONFIG.host, CONFIG.port, [request | login, *segments], timeout=30).content


def ask(*args, **attributes) -> dict:
    """The first segment of a response."""
    return json.loads(perform(*args, **attributes)[0])


def file_of(name: str, body: bytes) -> Path:
    path = FOLDER / name
    path.write_bytes(body)
    return path


def create(name: str, **bodies: bytes) -> dict:
    elements = [{'id': element, 'type': 'application/octet-stream'} for element in bodies]
    pairs = [part for element, body in bodies.items() for part in ({'id': element}, file_of(element, body))]
    made = {'type': 'Document', 'attributes': {'content': {'id': '', 'name': name}}, 'elements': elements}
    return ask(CONFIG.service, Operation.CREATE, made, *pairs)['output']


def element(target: str, name: str, **attributes) -> bytearray:
    head, body = perform(target, Operation.RETRIEVE, element=name, **attributes)
    assert json.loads(head)['status'] == OK
    return body


def name_of(target: str) -> str:
    return ask(target, Operation.RETRIEVE)['output']['attributes']['content']['name']


def reads_the_diary(**login) -> bool:
    return ask(CONFIG.diary, Operation.RETRIEVE, login=login)['status'] == OK


def retrieves_the_map() -> bool:
    return name_of(CONFIG.map) == 'A map'


@check('Hello')
def _():
    return ask(CONFIG.service, Operation.HELLO)['output']['id'] == CONFIG.service


@check('ListOperations')
def _():
    return Operation.CREATE.value in ask(CONFIG.service, Operation.LIST_OPERATION)['output']


@check('Create')
def _():
    return create('a map')['attributes']['content']['name'] == 'a map'


@check('Retrieve')
def _():
    return retrieves_the_map()


@check('Retrieve, with elements')
def _():
    segments = perform(create('with elements', a=b'abc')['id'], Operation.RETRIEVE, includeElementData=True)
    return segments[3] == b'abc' and json.loads(segments[2]) == {'id': 'a'}


@check('an element')
def _():
    return element(CONFIG.map, 'scan') == b'bytes of a scan'


@check('a part of an element')
def _():
    return element(CONFIG.map, 'scan', range={'start': 9, 'end': 14}) == b'a scan'


@check('Update')
def _():
    target = create('old')['id']
    return ask(target, Operation.UPDATE, {'attributes': {'content': {'name': 'new'}}})['status'] == OK and name_of(target) == 'new'


@check('Update of an element')
def _():
    target = create('with elements', a=b'old', b=b'kept')['id']
    change = {'attributes': {'content': {'name': 'changed'}}, 'elements': [{'id': 'a'}, {'id': 'b'}]}
    assert ask(target, Operation.UPDATE, change, {'id': 'a'}, file_of('a', b'new'))['status'] == OK
    return (element(target, 'a'), element(target, 'b')) == (b'new', b'kept')


@check('removal of an element')
def _():
    target = create('with elements', a=b'a', b=b'b')['id']
    ask(target, Operation.UPDATE, {'attributes': {'content': {'name': 'changed'}}}, elementsToDelete=['a'])
    return [left['id'] for left in ask(target, Operation.RETRIEVE)['output']['elements']] == ['b']


@check('Delete')
def _():
    target = create('short-lived')['id']
    return ask(target, Operation.DELETE)['status'] == OK and ask(target, Operation.RETRIEVE)['status'] == ResponseStatus.UNKNOWN_DO.value


@check('Search')
def _():
    _, found = map(json.loads, perform(CONFIG.service, Operation.SEARCH, query='/name:map', pageSize=3))
    return CONFIG.map in [each['id'] for each in found['results']]


@check('Search for ids')
def _():
    _, found = map(json.loads, perform(CONFIG.service, Operation.SEARCH, query='/set:thousand', type='id', pageNum=1, pageSize=10))
    return found['size'] == 1000 and len(found['results']) == 10


@check('other operations')
def _():
    assert ask('service', 'test/Op.Echo', {'text': 'é\n#\n'})['output'] == {'text': 'é\n#\n'}
    return perform('service', 'test/Op.Echo', file_of('echo', b'\x00\n#\n'))[1] == b'\x00\n#\n'


@check('login by user name')
def _():
    return reads_the_diary(authentication={'username': CONFIG.reader['username'], 'password': CONFIG.reader['password']})


@check('login by user id')
def _():
    return reads_the_diary(clientId=CONFIG.reader['id'], authentication={'password': CONFIG.reader['password']})


@check('login by token')
def _():
    return reads_the_diary(authentication={'token': CONFIG.reader['token']})


cannot('login by key', 'it signs no tokens')


@check('login as another user')
def _():
    return reads_the_diary(authentication=LOGIN['authentication'] | {'asUserId': CONFIG.reader['id']})


cannot('client certificate', 'it sends none')


@check('200 operations')
def _():
    return all(retrieves_the_map() for _ in range(200))


cannot('200 operations on one connection', 'a connection for each request')


@check('8 threads')
def _():
    in_threads(8, 25, retrieves_the_map)


@check('elements of 0 B, 20 KB and 5 MB')
def _():
    bodies = {f'of_{size}': bytes_of(size) for size in (0, 20_000, 5_000_000)}
    created = create('with elements', **bodies)
    assert [each['length'] for each in created['elements']] == [0, 20_000, 5_000_000]
    return all(element(created['id'], name) == body for name, body in bodies.items())


@check('an element as a stream')
def _():
    target = create('with elements', a=bytes_of(5_000_000))['id']
    request = {'targetId': target, 'operationId': Operation.RETRIEVE.value, 'attributes': {'element': 'a'}} | LOGIN
    with send_request(CONFIG.host, CONFIG.port, [request], timeout=30, stream=True) as response:
        _, start, *chunks, end = response.content

    return (start, end) == (b'@', b'#') and b''.join(chunks) == bytes_of(5_000_000)


@check('search with 1,000 results')
def _():
    _, found = map(json.loads, perform(CONFIG.service, Operation.SEARCH, query='/set:thousand'))
    assert found['size'] == 1000 and len({each['id'] for each in found['results']}) == 1000
    return 'whole: a segment of JSON is not split'


@check('wrong password')
def _():
    answer = ask(CONFIG.service, Operation.HELLO, login={'authentication': {'username': CONFIG.username, 'password': 'wrong'}})
    return answer['status'] == ResponseStatus.UNAUTHENTICATED.value


@check('unknown target')
def _():
    answer = ask('test/none', Operation.RETRIEVE)
    return answer['status'] == ResponseStatus.UNKNOWN_DO.value and 'test/none' in answer['output']['message']


@check('unknown operation')
def _():
    return ask('service', 'test/Op.None')['status'] == ResponseStatus.UNKNOWN_OPERATION.value


@check('an element that breaks off')
def _():
    target = create('damaged', a=bytes_of(5_000_000))['id']
    ask_service('damage')
    return type(raises(lambda: element(target, 'a'), Exception)).__name__


@check('bytes that break off')
def _():
    return type(raises(lambda: perform('service', 'test/Op.BreakOff', what='bytes'), Exception)).__name__


@check('JSON that breaks off')
def _():
    segments = perform('service', 'test/Op.BreakOff', what='json')
    return type(raises(lambda: [json.loads(segment) for segment in segments], Exception)).__name__


@check('the next request')
def _():
    return retrieves_the_map()


@check('a restart of the service')
def _():
    assert retrieves_the_map()
    ask_service('restart')
    return retrieves_the_map()


cannot('an idle connection', 'a connection for each request', group='waits')


@check('an operation of 20 s', group='waits')
def _():
    # With the time-out of 5 s that it has by itself: the empty lines keep the connection.
    request = {'targetId': 'service', 'operationId': 'test/Op.Wait', 'attributes': {'seconds': 20}}
    return json.loads(send_request(CONFIG.host, CONFIG.port, [request]).content[0])['output'] == {'waited': 20}


if __name__ == '__main__':
    run()

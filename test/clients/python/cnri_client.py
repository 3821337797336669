"""The checks of `cnri-doip-client`."""

import io
from concurrent.futures import ProcessPoolExecutor

from checks import CONFIG, ask_service, bytes_of, cannot, check, raises, run
from cnri_doip_client import (
    DigitalObject, DoipException, DoipRequest, ElementWithBody, PasswordAuthenticationInfo, PrivateKeyAuthenticationInfo, QueryParams,
    ServiceInfo, StandardDoipClient, TokenAuthenticationInfo
)

OK = '0.DOIP/Status.001'


def client_of(authentication=None) -> StandardDoipClient:
    service = ServiceInfo(service_id=CONFIG.service, ip_address=CONFIG.host, port=CONFIG.port)
    return StandardDoipClient(service_info=service, authentication=authentication)


client = client_of(PasswordAuthenticationInfo(CONFIG.username, CONFIG.password))


def create(name: str, *elements: tuple[str, bytes]) -> DigitalObject:
    return client.create(DigitalObject(
        type='Document', attributes={'content': {'id': '', 'name': name}},
        elements=[ElementWithBody(id=element, type='application/octet-stream', body=body) for element, body in elements] or None
    ))


def element(target: str, name: str) -> bytes:
    with client.retrieve_element_bytes(target, name) as body:
        return body.read()


def reads_the_diary(authentication) -> bool:
    return client_of(authentication).retrieve(CONFIG.diary).id == CONFIG.diary


def retrieve_times(times: int) -> bool:
    return all(client.retrieve(CONFIG.map).id == CONFIG.map for _ in range(times))


@check('Hello')
def _():
    return client.hello().id == CONFIG.service


@check('ListOperations')
def _():
    return '0.DOIP/Op.Create' in client.list_operations(CONFIG.service) and '0.DOIP/Op.Update' in client.list_operations(CONFIG.map)


@check('Create')
def _():
    return create('a map').get_attribute('content')['name'] == 'a map'


@check('Retrieve')
def _():
    return client.retrieve(CONFIG.map).get_attribute('content')['name'] == 'A map'


@check('Retrieve, with elements')
def _():
    created = create('with elements', ('a', b'abc'), ('b', b''))
    with client.perform_operation(created.id, '0.DOIP/Op.Retrieve', attributes={'includeElementData': True}) as response:
        segments = [segment.body.read() for segment in response.message]

    return segments[2] == b'abc' and segments[4] == b''


@check('an element')
def _():
    return element(CONFIG.map, 'scan') == b'bytes of a scan'


@check('a part of an element')
def _():
    with client.retrieve_partial_element_bytes(CONFIG.map, 'scan', 9, 14) as body:
        assert body.read() == b'a scan'

    with client.retrieve_partial_element_bytes(CONFIG.map, 'scan', end=4) as body:
        return body.read() == b'scan'


@check('Update')
def _():
    created = create('old')
    created.set_attribute('content', {'id': created.id, 'name': 'new'})
    client.update(created)
    return client.retrieve(created.id).get_attribute('content')['name'] == 'new'


@check('Update of an element')
def _():
    created = create('with elements', ('a', b'old'), ('b', b'kept'))
    created.elements = [ElementWithBody(id='a', body=b'new'), created.get_element_by_id('b')]
    client.update(created)
    return (element(created.id, 'a'), element(created.id, 'b')) == (b'new', b'kept')


@check('removal of an element')
def _():
    created = create('with elements', ('a', b'a'), ('b', b'b'))
    client.update(DigitalObject(id=created.id, attributes=created.attributes), attributes={'elementsToDelete': ['a']})
    return [left.id for left in client.retrieve(created.id).elements] == ['b']


@check('Delete')
def _():
    created = create('short-lived')
    client.delete(created.id)
    return client.retrieve(created.id) is None


@check('Search')
def _():
    with client.search('/name:map', QueryParams(page_num=0, page_size=3)) as results:
        return results.size > 0 and CONFIG.map in [found.id for found in results]


@check('Search for ids')
def _():
    with client.search_ids('/set:thousand', QueryParams(page_num=1, page_size=10)) as results:
        return results.size == 1000 and len(list(results)) == 10


@check('other operations')
def _():
    with client.perform_operation('service', 'test/Op.Echo', {'text': 'é\n#\n'}) as response:
        assert response.as_json() == {'text': 'é\n#\n'}

    with client.perform_operation('service', 'test/Op.Echo', io.BytesIO(b'\x00\n#\n')) as response:
        return response.as_byte_stream().read() == b'\x00\n#\n'


@check('the same over HTTP')
def _():
    over_http = StandardDoipClient(base_uri=CONFIG.http, authentication=PasswordAuthenticationInfo(CONFIG.username, CONFIG.password))
    with over_http.search('/set:thousand') as results:
        return over_http.hello().id == CONFIG.service and over_http.retrieve(CONFIG.map).id == CONFIG.map and len(list(results)) == 1000


@check('login by user name')
def _():
    return reads_the_diary(PasswordAuthenticationInfo(CONFIG.reader['username'], CONFIG.reader['password']))


@check('login by user id')
def _():
    # The class for passwords always sends a user name, which excludes an id; a request can have members of its own.
    request = DoipRequest(CONFIG.diary, '0.DOIP/Op.Retrieve', client_id=CONFIG.reader['id'], authentication={'password': CONFIG.reader['password']})
    with client_of().perform_operation(request) as response:
        return response.get_status() == OK


@check('login by token')
def _():
    return reads_the_diary(TokenAuthenticationInfo(CONFIG.reader['token']))


@check('login by key')
def _():
    return reads_the_diary(PrivateKeyAuthenticationInfo(CONFIG.username, CONFIG.key['jwk']))


@check('login as another user')
def _():
    return reads_the_diary(PasswordAuthenticationInfo(CONFIG.username, CONFIG.password, as_user_id=CONFIG.reader['id']))


cannot('client certificate', 'it sends none')


@check('200 operations')
def _():
    return retrieve_times(200)


cannot('200 operations on one connection', 'a connection for each request')
cannot('8 threads', 'its connections share a buffer: use processes')


@check('8 processes')
def _():
    with ProcessPoolExecutor(8) as pool:
        return all(pool.map(retrieve_times, [10] * 8))


@check('elements of 0 B, 20 KB and 5 MB')
def _():
    bodies = {f'{size} bytes': bytes_of(size) for size in (0, 20_000, 5_000_000)}
    created = create('with elements', *bodies.items())
    assert [each.length for each in created.elements] == [0, 20_000, 5_000_000]
    return all(element(created.id, name) == body for name, body in bodies.items())


@check('search with 1,000 results')
def _():
    with client.search('/set:thousand') as results:
        first = next(results)
        ids = {first.id, *(found.id for found in results)}
        return results.size == 1000 and len(ids) == 1000 and 'streamed'


@check('wrong password')
def _():
    wrong = client_of(PasswordAuthenticationInfo(CONFIG.username, 'wrong'))
    return raises(wrong.hello, DoipException).status == '0.DOIP/Status.102'


@check('unknown target')
def _():
    assert client.retrieve('test/none') is None
    error = raises(lambda: client.delete('test/none'), DoipException)
    return error.status == '0.DOIP/Status.104' and 'test/none' in error.response['message']


@check('unknown operation')
def _():
    with client.perform_operation('service', 'test/Op.None') as response:
        return response.get_status() == '0.DOIP/Status.200'


@check('an element that breaks off')
def _():
    created = create('damaged', ('a', bytes_of(5_000_000)))
    ask_service('damage')
    return type(raises(lambda: element(created.id, 'a'), Exception)).__name__


@check('bytes that break off')
def _():
    def work() -> bytes:
        with client.perform_operation('service', 'test/Op.BreakOff', attributes={'what': 'bytes'}) as response:
            return response.as_byte_stream().read()

    return type(raises(work, Exception)).__name__


@check('JSON that breaks off')
def _():
    def work() -> list[dict]:
        with client.perform_operation('service', 'test/Op.BreakOff', attributes={'what': 'json'}) as response:
            return [segment.json() for segment in response.message]

    return type(raises(work, Exception)).__name__


@check('the next request')
def _():
    return retrieve_times(3)


@check('a restart of the service')
def _():
    assert retrieve_times(1)
    ask_service('restart')
    return retrieve_times(1)


cannot('an idle connection', 'a connection for each request', group='waits')


@check('an operation of 20 s', group='waits')
def _():
    with client.perform_operation('service', 'test/Op.Wait', attributes={'seconds': 20}) as response:
        return response.as_json() == {'waited': 20}


if __name__ == '__main__':
    run()

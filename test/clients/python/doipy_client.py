"""
The checks of `doipy`. It finds services and the schemas of its FDO functions on public servers, which are simulated here; all requests to
the service itself are its own.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import doipy
from checks import CONFIG, ask_service, bytes_of, cannot, check, in_threads, raises, run
from doipy.constants import DomainName, FDOTypeIdentifier, Profile, ValidationSchemas

AT = (CONFIG.host, CONFIG.port)
LOGIN = {'username': CONFIG.username, 'password': CONFIG.password}
OK = '0.DOIP/Status.001'

# It writes elements to the current folder.
os.chdir(tempfile.mkdtemp())


def file_of(name: str, body: bytes) -> Path:
    path = Path(name)
    path.write_bytes(body)
    return path


def create(name: str, body: bytes | None = None, **metadata) -> dict:
    bitsq = None if body is None else file_of('payload', body)
    return doipy.create(CONFIG.service, *AT, do_type='Document', do_name=name, metadata=metadata, bitsq=bitsq, **LOGIN)[0]['output']


def retrieve(target: str) -> dict:
    return doipy.retrieve(target, *AT, **LOGIN)[0]['output']


def content(target: str) -> dict:
    return retrieve(target)['attributes']['content']


def payload(target: str) -> bytes:
    """The bytes of an object, in the file that doipy writes."""
    elements = retrieve(target)['elements']
    path = Path(elements[0]['attributes']['filename'])
    path.unlink(missing_ok=True)
    assert doipy.retrieve(target, *AT, file=elements[0]['id'], **LOGIN)[0]['status'] == OK
    return path.read_bytes()


def reads_the_diary(**login) -> bool:
    return doipy.retrieve(CONFIG.diary, *AT, **login)[0]['status'] == OK


def retrieves_the_map() -> bool:
    return content(CONFIG.map)['name'] == 'A map'


class PublicServers:
    """The handle server and the registries of types that doipy asks over HTTP."""

    def __init__(self):
        schema = {'schema': {'type': 'object'}}
        operations = {name: {'identifier': name, 'operationCategory': name, 'relatedFdoProfiles': [Profile.CONFIG_TYPE_14.value], 'inputs': 'inputs'}
                      for name in ('Create_FDO', 'Delete_FDO', 'Move_FDO')}
        interfaces = [{'protocol': protocol, 'ip': CONFIG.host, 'port': CONFIG.port} for protocol in ('DOIP on TCP', 'HTTP')]
        objects = operations | {
            'service-ref': {'serviceId': CONFIG.service, 'implementsOperations': list(operations)},
            Profile.CONFIG_TYPE_14.value: {'References': list(operations)}
        }
        self.pages = {f'{DomainName.TYPE_REGISTRY_OBJECTS.value}/{name}': value for name, value in objects.items()}
        self.pages |= {f'{DomainName.TYPE_API_SCHEMAS.value}/{name}': schema for name in ('inputs', ValidationSchemas.DATA_AND_METADATA.value)}
        self.add_handle(CONFIG.service, {'21.T11966/e236fff11511968d8696': json.dumps(interfaces)})

    def add_handle(self, handle: str, values: dict[str, object]) -> None:
        """A list is a text in JSON, as in the records that the repositories of doipy's authors write."""
        texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in values.items()}
        self.pages[f'{DomainName.RESOLVE_PID.value}/{handle}'] = {
            'responseCode': 1, 'values': [{'type': key, 'data': {'value': value}} for key, value in texts.items()]
        }

    def get(self, url: str):
        page = self.pages[url]
        return type('Response', (), {'json': lambda _: page, 'raise_for_status': lambda _: None})()


servers = PublicServers()


def fdo_input(**more) -> dict:
    return {'FDO_Service_Ref': 'service-ref', 'FDO_Authentication': LOGIN} | more


def create_fdo() -> tuple[str, dict]:
    """An FDO with data and metadata: its id and its content."""
    data = {'data_bitsq': str(file_of('data', b'data').resolve()), 'data_values': str(file_of('values', b'{"n": 1}').resolve())}
    metadata = {'metadata_bitsq': str(file_of('metadata', b'metadata').resolve())}
    target = doipy.create_fdo(fdo_input(
        FDO_Profile_Ref=Profile.CONFIG_TYPE_14.value, FDO_Type_Ref='a-type', FDO_Data_and_Metadata=[data | metadata]
    ))
    servers.add_handle(target, content(target))
    return target, content(target)


def with_public_servers(work):
    """The function, with the public servers simulated."""
    return patch('requests.get', servers.get)(work)


@check('Hello')
def _():
    return doipy.hello(CONFIG.service, *AT)[0]['output']['id'] == CONFIG.service


@check('ListOperations')
def _():
    return '0.DOIP/Op.Create' in doipy.list_operations(CONFIG.service, *AT, **LOGIN)[0]['output']


@check('Create')
def _():
    return create('a map', n=1)['attributes']['content']['n'] == 1


@check('Retrieve')
def _():
    return retrieves_the_map()


cannot('Retrieve, with elements', 'an element each')


@check('an element')
def _():
    return payload(create('with bytes', b'bytes of a scan')['id']) == b'bytes of a scan'


cannot('a part of an element', 'no ranges')


@check('Update')
def _():
    target = create('old', a=1)['id']
    doipy.add_metadata(target, *AT, metadata={'b': 2}, **LOGIN)
    doipy.update_metadata(target, *AT, metadata={'a': 3}, **LOGIN)
    assert content(target) == {'id': target, 'name': 'old', 'a': 3, 'b': 2}
    doipy.delete_metadata(target, *AT, metadata=['a'], **LOGIN)
    assert content(target) == {'id': target, 'name': 'old', 'b': 2}
    doipy.update_all_metadata(target, *AT, metadata={'id': target, 'c': 4}, **LOGIN)
    return content(target) == {'id': target, 'c': 4}


@check('Update of an element')
def _():
    target = create('with bytes', b'old')['id']
    doipy.update_bitsq(target, *AT, bitsq=file_of('payload', b'new'), **LOGIN)
    return payload(target) == b'new'


@check('removal of an element')
def _():
    target = create('with bytes', b'bytes')['id']
    doipy.delete_bitsq(target, *AT, **LOGIN)
    assert not retrieve(target).get('elements') and content(target)['DO_Status'] == 'deleted'
    doipy.add_bitsq(target, *AT, bitsq=file_of('payload', b'again'), **LOGIN)
    return payload(target) == b'again' and content(target)['DO_Status'] == 'created'


@check('Delete')
def _():
    target = create('short-lived')['id']
    return doipy.delete(target, *AT, **LOGIN)[0]['status'] == OK and doipy.retrieve(target, *AT, **LOGIN)[0]['status'].endswith('.104')


@check('Search')
def _():
    _, found = doipy.search(CONFIG.service, *AT, query='/name:map', **LOGIN)
    return CONFIG.map in [each['id'] for each in found['results']]


cannot('Search for ids', 'objects only, always all')


@check('other operations')
def _():
    design = doipy.get_design(CONFIG.service, *AT)[0]
    init_data = doipy.get_init_data(CONFIG.service, *AT)[0]
    return (design['status'], init_data['status']) == (OK, OK) and 'GetDesign and GetInitData'


@check('functions for FDOs')
@with_public_servers
def _():
    assert doipy.get_doip_connection(CONFIG.service) == doipy.get_http_connection(CONFIG.service) == AT
    target, values = create_fdo()
    [data], [metadata] = values[FDOTypeIdentifier.FDO_DATA_REFS.value], values[FDOTypeIdentifier.FDO_MD_REFS.value]
    assert (payload(data), payload(metadata), content(data)['n']) == (b'data', b'metadata', 1)
    assert doipy.delete_fdo(fdo_input(PID_FDO=target, delete_MD=True)) == 1
    assert content(target)[FDOTypeIdentifier.FDO_STATUS.value] == 'deleted'
    assert not any(retrieve(each).get('elements') for each in (data, metadata))

    target, _ = create_fdo()
    moved = doipy.move_fdo({
        'PID_FDO': target, 'FDO_Service_Ref_Source': 'service-ref', 'FDO_Service_Ref_Destination': 'service-ref',
        'FDO_Authentication_Source': LOGIN, 'FDO_Authentication_Destination': LOGIN
    })
    [data] = content(moved)[FDOTypeIdentifier.FDO_DATA_REFS.value]
    return content(target) == {'id': target, 'HS_ALIAS': moved} and payload(data) == b'data'


@check('the command line')
def _():
    command = [sys.executable, '-m', 'doipy', 'retrieve', CONFIG.map, CONFIG.host, str(CONFIG.port)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return ran.returncode == 0 and '"A map"' in ran.stdout


@check('login by user name')
def _():
    return reads_the_diary(username=CONFIG.reader['username'], password=CONFIG.reader['password'])


@check('login by user id')
def _():
    return reads_the_diary(client_id=CONFIG.reader['id'], password=CONFIG.reader['password'])


@check('login by token')
def _():
    return reads_the_diary(token=CONFIG.reader['token'])


cannot('login by key', 'it sends the key itself, which is refused')


@check('a key as credentials is refused')
def _():
    return doipy.retrieve(CONFIG.diary, *AT, key='key')[0]['status'] == '0.DOIP/Status.102'


cannot('login as another user', 'no such parameter')
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
    return all(payload(create('with bytes', bytes_of(size))['id']) == bytes_of(size) for size in (0, 20_000, 5_000_000)) and 'an object each'


@check('search with 1,000 results')
def _():
    _, found = doipy.search(CONFIG.service, *AT, query='/set:thousand', **LOGIN)
    return found['size'] == 1000 and len({each['id'] for each in found['results']}) == 1000 and 'whole'


@check('wrong password')
def _():
    return doipy.retrieve(CONFIG.map, *AT, username=CONFIG.username, password='wrong')[0]['status'] == '0.DOIP/Status.102'


@check('unknown target')
def _():
    [answer] = doipy.retrieve('test/none', *AT, **LOGIN)
    return answer['status'] == '0.DOIP/Status.104' and 'test/none' in answer['output']['message']


cannot('unknown operation', 'its own operations only')


@check('an element that breaks off')
def _():
    target = create('damaged', bytes_of(5_000_000))['id']
    ask_service('damage')
    return type(raises(lambda: payload(target), Exception)).__name__


cannot('bytes that break off', 'its own operations only')
cannot('JSON that breaks off', 'its own operations only')


@check('the next request')
def _():
    return retrieves_the_map()


@check('a restart of the service')
def _():
    assert retrieves_the_map()
    ask_service('restart')
    return retrieves_the_map()


cannot('an idle connection', 'a connection for each request', group='waits')
cannot('an operation of 20 s', 'its own operations only', group='waits')

if __name__ == '__main__':
    run()

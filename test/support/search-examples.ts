/** Objects and queries with the objects that they find, for each search engine. */

import type { JsonObject } from '../../lib/util/json-types.js';
import { parseJson } from '../../lib/json/strict-parser.js';
import { toIndexDocument, type FieldCopy, type IndexDocument, type IndexElement } from '../../lib/search/mapping/index-document.js';

function documentOf(id: string, content: JsonObject, elements: readonly IndexElement[] = []): IndexDocument {

    return {
        id, type: 'Note', content, acl: null, rights: null, userMetadata: null, keywords: {}, copies: [], indexedOn: 1, elements,
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1 }
    };
}

function ofSize(id: string, size: number): IndexDocument {

    return documentOf(id, {}, [{ name: 'my_scan', filename: null, mediaType: null, size, text: null, altField: null }]);
}

/** An object with numbers as they were sent. */
function sent(id: string, content: string, userMetadata: string | null = null, copies: readonly FieldCopy[] = []): IndexDocument {

    return toIndexDocument({
        id, type: 'Note', acl: null, elements: [], metadata: documentOf(id, {}).metadata, content: parseJson(content) as JsonObject, userMetadata: userMetadata === null ? null : parseJson(userMetadata) as JsonObject
    }, { indexedOn: 1, copies });
}

export const EXAMPLES: readonly IndexDocument[] = [
    ofSize('5000', 5000), ofSize('100000', 100_000), ofSize('3000000', 3_000_000),
    documentOf('april', { date: '2024-04-30T23:59:59.9995Z' }), documentOf('first', { date: '2024-05-01' }), documentOf('15th', { date: '2024-05-15' }),
    documentOf('morning', { date: '2024-05-31T10:00:00Z' }), documentOf('last', { date: '2024-05-31T23:59:59.9995Z' }),
    documentOf('june', { date: '2024-06-01T00:00:00Z' }), documentOf('november', { date: '2024-11-30' }), documentOf('december', { date: '2024-12-31T23:59:59Z' }),
    documentOf('signs', { t: 'ΟΔΟΣΗΜΑΝΣΗ' }), documentOf('road', { t: 'ΟΔΟΣ' }), documentOf('roads', { t: 'οδοσ9' }), documentOf('sigma', { t: 'Σ' }),
    sent('odd', '{"n":9007199254740993}'), sent('even', '{"n":9007199254740992}'), sent('digits', '{"n":1234567890123456789012}'), sent('twenty-one', '{"n":21}'),
    sent('list', '{"l":[9007199254740993,9007199254740992,7.0,{"x":-8.50},9],"s":"10.0"}', '{"u":[3,2.50]}', [{ field: 'price', value: 1.1, numberText: '1.10' }]),
    sent('powers', '{"p":[1e+16,10000000000000000.0,5E2,0.10000000000000000001]}')
];

/** What queries find among {@link EXAMPLES}. */
export const FINDINGS: readonly (readonly [query: string, ids: readonly string[]])[] = [
    // Sizes of payloads are compared as numbers, by either name of the field.
    ['elatt_my_scan_internal.size:[1000 TO 20000]', ['5000']],
    ['elatt_my%5Fscan_internal.size:{5000 TO 3000000]', ['100000', '3000000']],
    ['elatt_my_scan_internal.size:[* TO 1e5}', ['5000']],
    ['elatt_my_scan_internal.size:[* TO *]', ['100000', '3000000', '5000']],
    ['elatt_my_scan_internal.size:[a TO z]', []],
    ['elatt_my_scan_internal.size:5000', ['5000']],
    ['elatt_my_scan_internal.size:*000', ['100000', '3000000', '5000']],
    // A date or a month is all of its time.
    ['/date:[2024-05-01 TO 2024-05-31]', ['15th', 'first', 'last', 'morning']],
    ['/date:[2024-05 TO 2024-06]', ['15th', 'first', 'june', 'last', 'morning']],
    ['/date:[2024-05 TO 2024-05]', ['15th', 'first', 'last', 'morning']],
    ['/date:[2024-05 TO 2024-06}', ['15th', 'first', 'last', 'morning']],
    ['/date:[2024-05-01 TO 2024-05-31}', ['15th', 'first']],
    ['/date:{2024-05-31 TO *]', ['december', 'june', 'november']],
    ['/date:{2024-05 TO 2024-11]', ['june', 'november']],
    ['/date:{2024-05-31 TO 2024-06-01}', []],
    ['/date:[* TO 2024-04]', ['april']],
    ['/date:[2024-12 TO 2024-12]', ['december']],
    ['/date:[2024-04-30 TO 2024-04-30]', ['april']],
    ['/date:["2024-05-31T10:00:00Z" TO "2024-05-31T12:00:00+02:00"]', ['morning']],
    ['/date:{"2024-05-31T10:00:00Z" TO 2024-05-31]', ['last']],
    // No times
    ['/date:[2024-13 TO 2024-14]', []],
    ['/date:[2024-02-30 TO 2024-02-31]', []],
    // A capital sigma is another letter at the end of a word.
    ['/t:ΟΔΟΣ*', ['road', 'roads', 'signs']],
    ['/t:ΟΔΟΣ?Μ*', ['signs']],
    ['/t:*ΔΟΣ', ['road']],
    ['/t:*Σ', ['road', 'sigma']],
    ['ΟΔΟΣ', ['road']],
    ['+ΟΔΟΣ* -οδος', ['roads', 'signs']],
    // Numbers are found as they were sent, and as they are written usually.
    ['/n:9007199254740993', ['odd']],
    ['/n:9007199254740992', ['even']],
    ['/n:900719925474099?', ['even', 'odd']],
    ['/n:1234567890123456789012', ['digits']],
    ['/n:21', ['twenty-one']],
    ['9007199254740993', ['list', 'odd']],
    ['/l/_:9007199254740993 AND /l/_:9007199254740992', ['list']],
    ['/l/_:7', ['list']],
    ['/l/_:7.0', ['list']],
    ['/l/_/x:8.50', ['list']],
    ['/l/_/x:"8.5"', ['list']],
    ['/l/_:9', ['list']],
    ['/l/_:9.0', []],
    ['/s:10.0', ['list']],
    ['/s:10', []],
    ['userMetadata/u/_:2.50', ['list']],
    ['userMetadata/u/_:2.5', ['list']],
    ['userMetadata/u/_:3', ['list']],
    ['price:1.10', ['list']],
    ['price:1.1', ['list']],
    ['/p/_:10000000000000000', ['powers']],
    ['/p/_:10000000000000000.0', ['powers']],
    ['/p/_:500', ['powers']],
    ['/p/_:5e2', ['powers']],
    ['/p/_:0.1', ['powers']],
    ['/p/_:0.10000000000000000001', ['powers']],
    // Ranges compare doubles.
    ['/n:[9007199254740993 TO 9007199254740993]', ['even', 'odd']],
    ['/n:[1e21 TO 2e21]', ['digits']],
    ['/l/_/x:[-8.5 TO -8.50]', ['list']]
];

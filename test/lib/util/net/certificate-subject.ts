import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { identityOf } from '../../../../lib/util/net/certificate-subject.js';

export const lab = Lab.script();
const { describe, it } = lab;

const CASES: readonly [title: string, subject: string | undefined, identity: string | null][] = [
    ['the user id', 'CN=Ann\nUID=20.500.123/ann', '20.500.123/ann'],
    ['the common name if there is no user id', 'O=Museum\nCN=20.500.123/ann', '20.500.123/ann'],
    ['the organisation if there is nothing else', 'C=DE\nO=20.500.123/museum', '20.500.123/museum'],
    ['the first of several', 'UID=one\nUID=two', 'one'],
    ['a name without the index of a handle value', 'UID=300:20.500.123/ann', '20.500.123/ann'],
    ['a name with escaped characters', 'UID=20.500/a\\, \\"b\\" \\\\c', '20.500/a, "b" \\c'],
    ['a name with escaped octets', 'UID=\\C3\\9Cbung', 'Übung'],
    ['a name with an escaped line end', 'UID=a\\0AUID=b', 'a\nUID=b'],
    ['nothing in a subject without names', 'C=DE', null],
    ['nothing in an empty subject', '', null],
    ['nothing in a certificate without a subject', undefined, null],
    ['a name with a backslash before digits', 'UID=20.500/a\\\\41', '20.500/a\\41'],
    ['that of one of several attributes in one relative name', 'CN=Ann + UID=20.500.123/ann + O=Museum', '20.500.123/ann'],
    ['a name with a plus sign', 'UID=a \\+ UID=b', 'a + UID=b'],
    ['the common name if the user id is empty', 'UID=300:\nCN=ann', 'ann']
];

describe('the identity of a certificate', () => {

    for (const [title, subject, identity] of CASES) {
        it(`is ${title}`, () => {

            expect(identityOf(subject)).to.equal(identity);
        });
    }
});

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { idPath } from '../../../lib/doip/ids.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('an id in a path', () => {

    for (const [id, path] of [
        ['test/1', 'test/1'],
        ['20.500.123/a-b_C.9', '20.500.123/a-b_C.9'],
        ['design', 'design'],
        ['test/a b', 'test/a%20b'],
        ['test/ä?#%', 'test/%C3%A4%3F%23%25'],
        ['test//x/', 'test//x/'],
        ['test/.hidden', 'test/.hidden'],
        ['test/..', 'test%2F..'],
        ['test/../x', 'test%2F..%2Fx'],
        ['test/./x', 'test%2F.%2Fx'],
        ['test/...', 'test/...']
    ] as const) {
        it(`is ${path} for ${id}`, () => {

            expect(idPath(id)).to.equal(path);
            expect(decodeURIComponent(idPath(id))).to.equal(id);
        });
    }
});

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { UnusableDatabaseError } from '../../db/errors.js';
import { DataDirError } from '../../lib/app/data-dir.js';
import { SearchEngineError } from '../../lib/search/opensearch/engine-error.js';
import { isPermanent, isPermanentLater } from '../../lib/start-errors.js';
import { PayloadStoreError } from '../../lib/stores/s3/s3-error.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('an error of a start', () => {

    const cases: [title: string, error: Error, first: boolean, later: boolean][] = [
        ['wrong credentials of OpenSearch', new SearchEngineError('refused'), true, true],
        ['an OpenSearch that does not answer', new SearchEngineError('no answer', true), true, false],
        ['a bucket that does not exist', new PayloadStoreError('there is none'), true, true],
        ['a bucket that does not answer', new PayloadStoreError('no answer', true), true, false],
        ['a folder that a command uses', new DataDirError('in use'), true, false],
        ['a disk that is not mounted yet', new DataDirError('not there', { mayPass: true }), false, false],
        ['a database of a later version', new UnusableDatabaseError('newer', 'too new'), true, true],
        ['anything else, such as a database that does not answer', new Error('ECONNREFUSED'), false, false]
    ];
    for (const [title, error, first, later] of cases) {
        it(`ends ${first ? later ? 'every attempt' : 'the first attempt alone' : 'no attempt'} for ${title}`, () => {

            expect([isPermanent(error), isPermanentLater(error)]).to.equal([first, later]);
        });
    }
});

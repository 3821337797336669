import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { splitConnections } from '../../../../db/engines/mysql/connection-shares.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('connections to a server', () => {

    const cases: readonly (readonly [connections: number, readers: number, primary: number, reader: number])[] = [
        [10, 0, 10, 0], [10, 1, 7, 3], [10, 2, 6, 2], [10, 4, 6, 1], [32, 4, 12, 5], [100, 16, 20, 5], [7, 4, 3, 1], [4, 4, 3, 1], [1, 1, 1, 1]
    ];
    for (const [connections, readers, primary, reader] of cases) {
        it(`are divided, ${connections} among one process and ${readers} that only read`, () => {

            expect(splitConnections(connections, readers)).to.equal({ primary, reader });
        });
    }
});

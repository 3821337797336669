import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { referenceSource } from '../../../lib/cli/cordra-source.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('an export of the reference implementation that changes between its two passes', () => {

    let folder: string;

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-source-'));
    });

    after(() => rm(folder, { recursive: true }));

    const line = (id: string, type: string): string => JSON.stringify({ cordraObject: { id: `test/${id}`, type, content: { name: id, schema: {} } } });
    const [ONE, TWO, TYPE] = [line('one', 'T'), line('two', 'T'), line('type', 'Schema')] as const;

    /** Reads lines, which are replaced when the first pass has come to the type at their end. */
    const read = async (first: readonly string[], second: readonly string[]): Promise<{ ids: string[]; objects: number; errors: readonly string[] }> => {

        const path = join(folder, 'lines');
        await writeFile(path, `${first.join('\n')}\n`);
        const source = await referenceSource(path);
        const lines: { id?: string; objects: number }[] = [];
        for await (const bytes of source?.body ?? []) {
            const value = JSON.parse(Buffer.from(bytes).toString()) as { id?: string; objects: number };
            lines.push(value);
            if (value.id === 'test/type') {
                await writeFile(`${path}.new`, `${second.join('\n')}\n`);
                await rename(`${path}.new`, path);
            }
        }

        return { ids: lines.flatMap(({ id = [] }) => id), objects: lines.at(-1)?.objects ?? 0, errors: source?.errors ?? [] };
    };

    const LEFT_OUT = /^3 objects were found, and 2 of them read/;
    const CHANGED = /was changed while it was read, and is not imported$/;
    const cases: [string, string[], string[], RegExp[]][] = [
        ['has an object that cannot be read any more', [ONE, '{"cordraObject":', TYPE], ['test/type', 'test/one'], [/, line 2: /, LEFT_OUT]],
        ['lacks an object', [ONE, TYPE], ['test/type', 'test/one'], [CHANGED, LEFT_OUT]],
        ['has a type where an object was', [ONE, line('two', 'Schema'), TYPE], ['test/type', 'test/one'], [CHANGED, LEFT_OUT]],
        ['has an object where a type was, and a type where an object was', [ONE, TYPE, TWO], ['test/type', 'test/one'], [CHANGED, CHANGED, LEFT_OUT]]
    ];
    for (const [title, second, ids, errors] of cases) {

        it(`is an error when it ${title}`, async () => {

            const found = await read([ONE, TWO, TYPE], second);

            expect(found.ids).to.equal(ids);
            expect(found.objects).to.equal(3);
            expect(found.errors.length, found.errors.join()).to.equal(errors.length);
            errors.forEach((error, n) => expect(found.errors[n]).to.match(error));
        });
    }

    it('reports an object that no pass can read once', async () => {

        const { errors, objects } = await read([ONE, '{', TYPE], [ONE, '{', TYPE]);

        expect([errors.length, objects]).to.equal([1, 2]);
    });
});

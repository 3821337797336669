import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../../lib/util/make-folder.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('a folder', () => {

    let folder: string;

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-folder-'));
    });

    after(() => rm(folder, { recursive: true }));

    it('is made with those above it, with its mode, unless it is there', async () => {

        const path = join(folder, 'a/b/c');

        expect([makeFolder(path, 0o700), makeFolder(path)]).to.equal([true, false]);
        expect((await stat(path)).mode & 0o777).to.equal(0o700);
    });

    it('is an error where there is a file, of its name or above it', async () => {

        await writeFile(join(folder, 'file'), '');

        expect(() => makeFolder(join(folder, 'file'))).to.throw(/EEXIST/);
        expect(() => makeFolder(join(folder, 'file/x'))).to.throw(/ENOTDIR/);
    });

    it('is an error at once where the file system has none', { skip: !existsSync('/proc/self') }, () => {

        expect(() => makeFolder('/proc/no-folder/x')).to.throw(/ENOENT/);
    });
});

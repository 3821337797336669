/** Temporary files in the data folder, which may have folders of others. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TempFolder } from '../../../lib/bulk/temp-folder.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

describe('the folder for temporary files', () => {

    let dataDir: string;
    const own = (...names: string[]): string => join(dataDir, 'gateway-tmp', ...names);

    beforeEach(async () => {

        dataDir = await mkdtemp(join(tmpdir(), 'temp-folder-'));
    });

    afterEach(() => rm(dataDir, { recursive: true, force: true }));

    it('is removed with the files of an earlier process', async () => {

        const folder = new TempFolder(dataDir);
        const files = [await folder.create(), await folder.create()];
        await Promise.all(files.map(({ handle }) => handle.close()));
        expect((await readdir(own())).length).to.equal(2);

        await folder.clear();
        await folder.clear();

        expect(await readdir(dataDir)).to.equal([]);
    });

    it('leaves everything that is of others', async () => {

        await mkdir(join(dataDir, 'tmp/backup'), { recursive: true });
        await mkdir(own('4fb4d5b6-0f7b-4f5e-9d0c-1f1c2f3a4b5c'), { recursive: true });
        await writeFile(own('notes.txt'), 'mine');
        const file = await new TempFolder(dataDir).create();
        await file.handle.close();

        await new TempFolder(dataDir).clear();

        expect(await readdir(dataDir)).to.equal(['gateway-tmp', 'tmp']);
        expect(await readdir(join(dataDir, 'tmp'))).to.equal(['backup']);
        expect((await readdir(own())).toSorted()).to.equal(['4fb4d5b6-0f7b-4f5e-9d0c-1f1c2f3a4b5c', 'notes.txt']);
    });

    it('is not followed where a link leads elsewhere', async () => {

        const elsewhere = join(dataDir, 'elsewhere');
        await mkdir(elsewhere);
        await writeFile(join(elsewhere, '4fb4d5b6-0f7b-4f5e-9d0c-1f1c2f3a4b5c'), 'kept');
        await symlink(elsewhere, own());

        await new TempFolder(dataDir).clear();

        expect(await readdir(elsewhere)).to.have.length(1);
    });

    it('is readable by its owner only', async () => {

        const file = await new TempFolder(dataDir).create();
        await file.remove();

        expect((await stat(own())).mode & 0o777).to.equal(0o700);
    });
});

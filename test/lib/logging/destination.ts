/** The way of the log out of the process: its reader may be slow, stop, or go away, and its disk may be full. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

export const lab = Lab.script();
const { describe, it } = lab;

const PROGRAM = join(__dirname, '../../support/log-program.js');

/** Less than the process buffers. */
const BUFFERED_BYTES = 4_000_000;

interface Line {
    readonly n?: number;
    readonly count?: number;
    readonly last?: string;
}

const linesOf = (log: string): Line[] => log.trimEnd().split('\n').map((line) => JSON.parse(line) as Line);

/** Starts the program; resolves when it has logged everything. */
async function logging(lines: number, length: number, error: 'pipe' | number = 'pipe'): Promise<{ child: ChildProcess; grown: number }> {

    const child = spawn(process.execPath, [PROGRAM, `${lines}`, `${length}`], { stdio: ['pipe', 'pipe', error] });
    const [chunk] = await once(child.stdout as Readable, 'data') as [Buffer];
    const { before, after } = JSON.parse(chunk.toString()) as { before: number; after: number };
    return { child, grown: after - before };
}

async function ended(child: ChildProcess): Promise<number | null> {

    const [code] = await once(child, 'exit') as [number | null];
    return code;
}

describe('the log destination', () => {

    it('writes everything in order before the process ends', async () => {

        const { child } = await logging(5000, 100);
        const log = text(child.stderr as Readable);
        child.stdin?.end('end');

        const lines = linesOf(await log);

        expect(lines.map(({ n, last }) => n ?? last)).to.equal([...Array.from({ length: 5000 }, (_, n) => n), 'end']);
    });

    it('uses bounded memory without a reader, and reports dropped lines later', async () => {

        const { child, grown } = await logging(60_000, 2000);
        const log = text(child.stderr as Readable);
        // What follows is logged when there is room again; at its end the process waits for a second only.
        let read = 0;
        child.stderr?.on('data', (chunk: Buffer) => {

            read += chunk.length;
            if (read > BUFFERED_BYTES && !child.stdin?.writableEnded) {
                child.stdin?.end('end');
            }
        });
        const lines = linesOf(await log);
        const told = lines.flatMap(({ n }) => n ?? []);
        const [dropped = 0] = lines.flatMap(({ count }) => count ?? []);

        expect(grown).to.be.below(80);
        expect(dropped).to.be.above(10_000);
        expect(told.length + dropped).to.be.within(60_000, 60_001);
        expect(told).to.equal(Array.from(told, (_, n) => n));
    });

    it('does not keep a process from ending without a reader', async () => {

        const { child } = await logging(5000, 2000);
        child.stdin?.end('end');

        expect(await ended(child)).to.equal(0);
    });

    it('gives up when the reader has closed the pipe', async () => {

        const { child } = await logging(100, 100);
        child.stderr?.destroy();
        child.stdin?.write('once');
        await new Promise((resolve) => child.stdin?.write('again', resolve));
        child.stdin?.end();

        expect(await ended(child)).to.equal(0);
    });

    it('does not end a process on a full disk', { skip: process.platform !== 'linux' }, async () => {

        const full = openSync('/dev/full', 'w');
        const { child } = await logging(5000, 2000, full);
        closeSync(full);
        child.stdin?.end('end');

        expect(await ended(child)).to.equal(0);
    });
});

/**
 * A program that logs more than anybody reads, and then ends. Arguments: how many lines, and how long one is. What it prints to
 * standard output: its memory in MiB before and after.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { openLog } from '../../lib/logging/logger.js';

const LINES_PER_TURN = 100;

async function main(lines: number, length: number): Promise<void> {

    const log = openLog({ level: 'info' });
    const text = 'x'.repeat(length);
    const memory = (): number => Math.round(process.memoryUsage().rss / 1024 / 1024);
    const before = memory();
    for (let n = 0; n < lines; ++n) {
        log.logger.info({ n }, text);
        if (n % LINES_PER_TURN === 0) {
            await nextTurn();
        }
    }

    console.log(JSON.stringify({ before, after: memory() }));
    for await (const chunk of process.stdin) {
        log.logger.info({ last: String(chunk) }, 'told to end');
    }

    await log.flush();
    process.exit(0);
}

void main(Number(process.argv[2]), Number(process.argv[3]));

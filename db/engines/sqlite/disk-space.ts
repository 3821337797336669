/**
 * How much room a disk has. Some of it is left free, so that a database whose disk is full can still remove what nobody needs
 * and answer whoever reads; and a small file of no content keeps a part of that from other programs on the same disk, until it
 * is given up.
 */

import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A folder and the bytes of its disk that are left free; 0 for none. Plain data: it is handed to the writer threads. */
export interface DiskRules {
    readonly folder: string;
    readonly minFree: number;
}

const MAX_MIN_FREE_BYTES = 256 * 1024 * 1024;
const FREE_SHARE = 0.05;

const RESERVE = 'disk-reserve';
const MAX_RESERVE_BYTES = 8 * 1024 * 1024;
const RESERVE_SHARE = 1 / 4;
const CHUNK_BYTES = 64 * 1024;

/** Rules for a folder that exists; without a number 256 MiB, or 5 % of a smaller disk. */
export function diskRules(folder: string, minFree?: number | null): DiskRules {

    const { blocks, bsize } = statfsSync(folder);
    return { folder, minFree: minFree ?? Math.min(MAX_MIN_FREE_BYTES, Math.floor(blocks * bsize * FREE_SHARE)) };
}

/** Bytes that are free; Infinity where that is not known. */
export function freeBytes({ folder }: DiskRules): number {

    try {
        const { blocks, bavail, bsize } = statfsSync(folder);
        return blocks === 0 ? Infinity : bavail * bsize;
    }
    catch {
        // The folder is away: whoever writes to it is told so by the database.
        return Infinity;
    }
}

/** Bytes of the file that is given up when there is no room at all. */
export function reserveBytes({ minFree }: DiskRules): number {

    return Math.min(MAX_RESERVE_BYTES, Math.floor(minFree * RESERVE_SHARE));
}

/** Removes the file; false when there is none. */
export function giveUpReserve(rules: DiskRules): boolean {

    if (sizeOf(rules) === 0) {
        return false;
    }

    rmSync(pathOf(rules), { force: true });
    return true;
}

/**
 * Makes the file, unless it is there, as long as no more than `least` bytes are free without it.
 *
 * @param least default: what the rules leave free
 */
export function keepReserve(rules: DiskRules, least = rules.minFree): void {

    const free = freeBytes(rules);
    const bytes = Math.min(reserveBytes(rules), Math.max(0, free - least));
    if (sizeOf(rules) > 0 || bytes < CHUNK_BYTES || least === rules.minFree && bytes < reserveBytes(rules)) {
        return;
    }

    try {
        write(pathOf(rules), bytes);
    }
    catch {
        // Somebody else was faster to take the room.
        rmSync(pathOf(rules), { force: true });
    }
}

/** Bytes that no file system can leave out. */
function write(path: string, bytes: number): void {

    const piece = randomFillSync(Buffer.allocUnsafe(CHUNK_BYTES));
    const descriptor = openSync(path, 'w', 0o600);
    try {
        for (let written = 0; written < bytes; written += CHUNK_BYTES) {
            writeSync(descriptor, piece, 0, Math.min(CHUNK_BYTES, bytes - written));
        }
    }
    finally {
        closeSync(descriptor);
    }
}

function sizeOf(rules: DiskRules): number {

    return statSync(pathOf(rules), { throwIfNoEntry: false })?.size ?? 0;
}

function pathOf({ folder }: DiskRules): string {

    return join(folder, RESERVE);
}

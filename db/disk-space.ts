/**
 * Free disk space. Some of it is reserved, so that a database with a full disk can still delete what is no longer needed and serve
 * reads; a small reserve file holds part of it against other programs on the same disk, until it is given up.
 */

import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A folder, and the bytes of its disk to keep free; 0 for none. Plain data, passed to the writer threads. */
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

/** Returns the rules for an existing folder; by default 256 MiB, or 5 % of a smaller disk. */
export function diskRules(folder: string, minFree?: number | null): DiskRules {

    const { blocks, bsize } = statfsSync(folder);
    return { folder, minFree: minFree ?? defaultMinFree(blocks * bsize) };
}

/** Returns the bytes to keep free on a disk of some bytes. */
export function defaultMinFree(diskBytes: number): number {

    return Math.min(MAX_MIN_FREE_BYTES, Math.floor(diskBytes * FREE_SHARE));
}

/** Returns the free bytes; Infinity where that is not known. */
export function freeBytes({ folder }: DiskRules): number {

    try {
        const { blocks, bavail, bsize } = statfsSync(folder);
        return blocks === 0 ? Infinity : bavail * bsize;
    }
    catch {
        // The folder is missing: writes to it fail in the database.
        return Infinity;
    }
}

/** Returns the size of the reserve file, in bytes. */
export function reserveBytes({ minFree }: DiskRules): number {

    return Math.min(MAX_RESERVE_BYTES, Math.floor(minFree * RESERVE_SHARE));
}

/** Removes the reserve file; returns false when there is none. */
export function releaseReserve(rules: DiskRules): boolean {

    if (sizeOf(rules) === 0) {
        return false;
    }

    rmSync(pathOf(rules), { force: true });
    return true;
}

/**
 * Creates the reserve file unless it exists. Its size is limited to what is free beyond `minFree` bytes.
 *
 * @param minFree bytes to keep free; default: those of the rules
 */
export function keepReserve(rules: DiskRules, minFree = rules.minFree): void {

    const free = freeBytes(rules);
    const bytes = Math.min(reserveBytes(rules), Math.max(0, free - minFree));
    if (sizeOf(rules) > 0 || bytes < CHUNK_BYTES || minFree === rules.minFree && bytes < reserveBytes(rules)) {
        return;
    }

    try {
        write(pathOf(rules), bytes);
    }
    catch {
        // Another program took the space.
        rmSync(pathOf(rules), { force: true });
    }
}

/** Writes random bytes, which a file system can neither compress nor leave out. */
function write(path: string, bytes: number): void {

    const chunk = randomFillSync(Buffer.allocUnsafe(CHUNK_BYTES));
    const descriptor = openSync(path, 'w', 0o600);
    try {
        for (let written = 0; written < bytes; written += CHUNK_BYTES) {
            writeSync(descriptor, chunk, 0, Math.min(CHUNK_BYTES, bytes - written));
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

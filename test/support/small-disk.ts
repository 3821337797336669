/**
 * Disks of a few MiB, real ones: memory, or a file with ext4 in it. Only who may mount can make them.
 */

import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type DiskKind = 'tmpfs' | 'ext4';

/** A mounted disk. */
export interface SmallDisk {
    readonly path: string;
    /** Bytes that are free. */
    free(): number;
    /** Takes all room but some bytes, as another program would. */
    fill(left?: number): void;
    /** Gives back what was taken. */
    relieve(): void;
    remove(): void;
}

/** A disk in memory that has no size of its own: it can be full at any moment, whatever is on it. */
export interface ElasticDisk {
    readonly path: string;
    /** Nothing more can be stored, until {@link relieve}. */
    fill(): void;
    relieve(): void;
    remove(): void;
}

const MAX_ATTEMPTS = 100;

/** Mounts a disk of so many bytes at most, which it takes only as they are stored; null where that is not possible. Every user may write to it. */
export function elasticDisk(bytes: number): ElasticDisk | null {

    const disk = smallDisk(bytes);
    const resize = (size: number): boolean => spawnSync('mount', ['-o', `remount,size=${size}`, disk?.path ?? '']).status === 0;
    if (!disk) {
        return null;
    }

    chmodSync(join(disk.path, '..'), 0o755);
    chmodSync(disk.path, 0o777);
    return {
        path: disk.path,
        fill() {

            // What is stored meanwhile makes it larger than it is to be. A size of 0 is no limit.
            for (let attempts = MAX_ATTEMPTS; attempts > 0; --attempts) {
                const { blocks, bfree, bsize } = statfsSync(disk.path);
                if (resize(Math.max(1, blocks - bfree) * bsize)) {
                    return;
                }
            }

            throw new Error(`${disk.path} cannot be made full`);
        },
        relieve: () => void resize(bytes),
        remove: () => disk.remove()
    };
}

/** Mounts a disk; null where that is not possible. */
export function smallDisk(bytes: number, kind: DiskKind = 'tmpfs'): SmallDisk | null {

    const place = mkdtempSync(join(tmpdir(), 'doip-gateway-disk-'));
    const path = mkdtempSync(join(place, 'disk-'));
    const image = join(place, 'image');
    const run = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
    let isMounted: boolean;
    if (kind === 'tmpfs') {
        isMounted = run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path);
    }
    else {
        writeFileSync(image, '');
        truncateSync(image, bytes);
        isMounted = run('mkfs.ext4', '-q', '-F', image) && run('mount', '-o', 'loop', image, path);
    }

    const ballast = join(path, 'ballast');
    const free = (): number => {

        const { bavail, bsize } = statfsSync(path);
        return bavail * bsize;
    };

    const disk: SmallDisk = {
        path, free,
        fill(left = 0) {

            const piece = Buffer.alloc(64 * 1024, 1);
            try {
                while (free() > left) {
                    appendFileSync(ballast, piece.subarray(0, Math.min(piece.length, free() - left)));
                }
            }
            catch {
                // The disk is full.
            }
        },
        relieve: () => rmSync(ballast, { force: true }),
        remove() {

            if (isMounted) {
                run('umount', path);
            }

            rmSync(place, { recursive: true, force: true });
        }
    };
    if (isMounted) {
        return disk;
    }

    disk.remove();
    return null;
}

/** Why there are no small disks here, for the title of tests that are skipped; empty where there are. */
export function withoutDisks(kind: DiskKind = 'tmpfs'): string {

    const disk = smallDisk(4 * 1024 * 1024, kind);
    disk?.remove();
    return disk ? '' : ` (skipped: no ${kind} disk can be mounted here)`;
}

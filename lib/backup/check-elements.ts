/** Finds the payloads of a copy that are not as they were stored. */

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CopiedElement, SnapshotCopy } from '../../db/engines/sqlite/snapshot-copy.js';
import type { Manifest } from './manifest.js';
import type { Observer } from './backup-error.js';

/** Numbers of damaged payloads. */
export type Damages = Pick<Manifest['counts'], 'incompleteElements' | 'changedElements'>;

/** Reports and counts payloads that lack bytes, and those whose bytes have another hash than when they were stored. */
export async function checkElements(copy: SnapshotCopy, observer: Observer): Promise<Damages> {

    const incomplete = new Set<number>();
    let incompleteElements = 0;
    for (const found of copy.incomplete()) {
        incomplete.add(found.blobId);
        incompleteElements += 1;
        observer.onDamaged?.(`${nameOf(found)} lacks bytes`);
    }

    let changedElements = 0;
    for (const found of copy.hashed()) {
        if (!incomplete.has(found.blobId) && await hashOf(copy.chunksOf(found.blobId), observer) !== found.hash) {
            changedElements += 1;
            observer.onDamaged?.(`${nameOf(found)} has another hash than when it was stored`);
        }
    }

    return { incompleteElements, changedElements };
}

function nameOf({ objectId, element }: CopiedElement): string {

    return `payload ${element} of ${objectId}`;
}

/** Signals are handled between chunks, and end the work by what the observer throws. */
async function hashOf(chunks: Iterable<Uint8Array>, observer: Observer): Promise<string> {

    const hash = createHash('sha256');
    for (const chunk of chunks) {
        hash.update(chunk);
        await nextTurn();
        observer.onBytes(0);
    }

    return hash.digest('hex');
}

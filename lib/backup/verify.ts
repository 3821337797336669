/** Checks that a backup is whole, byte by byte, and that it can be restored by this version. */

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CopyContents, type DamagedElement, SnapshotCopy } from '../../db/engines/sqlite/snapshot-copy.js';
import { MIGRATIONS } from '../../db/migrations/index.js';
import { DEFAULT_STORE } from '../stores/blobs/element-store.js';
import { invalid, type Observer, UNOBSERVED } from './backup-error.js';
import { type BackupFile, bytesOf, describeFile, type Manifest, readManifest } from './manifest.js';

/**
 * Checks the manifest, the checksums, the structure of both files, and the length and hash of each payload.
 *
 * @throws BackupError when the backup is not valid, or this version cannot restore it
 */
export async function verifyBackup(folder: string, observer = UNOBSERVED): Promise<Manifest> {

    const manifest = await readManifest(folder);
    observer.onPhase('verifying', bytesOf(manifest));
    for (const file of manifest.files) {
        await verifyFile(folder, file, observer);
    }

    const copy = new SnapshotCopy(folder, DEFAULT_STORE);
    try {
        verifyContents(folder, manifest, { copy, observer });
    }
    finally {
        copy.close();
    }

    return manifest;
}

interface Checked {
    readonly copy: SnapshotCopy;
    readonly observer: Observer;
}

async function verifyFile(folder: string, { name, size, sha256 }: BackupFile, observer: Observer): Promise<void> {

    const found = await stat(join(folder, name)).catch(() => null);
    if (!found) {
        throw invalid(folder, `${name} is missing`);
    }

    if (found.size !== size) {
        throw invalid(folder, `${name} has ${found.size} bytes instead of ${size}`);
    }

    if ((await describeFile(folder, name, observer)).sha256 !== sha256) {
        throw invalid(folder, `${name} was changed`);
    }
}

function verifyContents(folder: string, manifest: Manifest, { copy, observer }: Checked): void {

    const contents = copy.contents();
    const known = new Set(MIGRATIONS.map(({ name }) => name));
    const newer = contents.migrations.find((name) => !known.has(name));
    if (newer !== undefined) {
        throw invalid(folder, `version ${manifest.program.version} wrote it with the schema ${newer}, which this version does not know: use that version`);
    }

    const [damage] = copy.damage();
    if (damage !== undefined) {
        throw invalid(folder, `the database was damaged when it was copied: ${damage}`);
    }

    if (!isDescribedBy(contents, manifest)) {
        throw invalid(folder, 'its counts differ from those of its manifest');
    }

    verifyElements(folder, manifest, { copy, observer });
}

function isDescribedBy(contents: CopyContents, { counts, highestTxnId }: Manifest): boolean {

    return highestTxnId === contents.highestTxnId && (['objects', 'versions', 'elements', 'elementBytes', 'elementsElsewhere'] as const)
        .every((name) => counts[name] === contents[name]);
}

/** Payloads that lacked bytes in the repository itself are no fault of the backup; they are reported. */
function verifyElements(folder: string, { counts }: Manifest, { copy, observer }: Checked): void {

    let incomplete = 0;
    for (const damaged of copy.incomplete()) {
        incomplete += 1;
        observer.onIncomplete?.(describe(damaged));
    }

    if (incomplete !== counts.incompleteElements) {
        throw invalid(folder, `${incomplete} payloads lack bytes`);
    }

    const [wrong] = incomplete === 0 ? copy.wrongHashes(hashOf) : [];
    if (wrong) {
        throw invalid(folder, describe(wrong));
    }
}

function describe({ objectId, element, reason }: DamagedElement): string {

    return `payload ${element} of ${objectId} ${reason === 'incomplete' ? 'lacks bytes' : 'has another hash than when it was stored'}`;
}

function hashOf(chunks: Iterable<Uint8Array>): string {

    const hash = createHash('sha256');
    for (const chunk of chunks) {
        hash.update(chunk);
    }

    return hash.digest('hex');
}

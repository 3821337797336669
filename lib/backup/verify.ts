/** Checks that a backup is whole, byte by byte, and that it can be restored by this version. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CopyContents, SnapshotCopy } from '../../db/engines/sqlite/snapshot-copy.js';
import { MIGRATIONS } from '../../db/migrations/index.js';
import { DEFAULT_STORE } from '../stores/blobs/element-store.js';
import { invalid, type Observer, UNOBSERVED } from './backup-error.js';
import { checkElements } from './check-elements.js';
import { type BackupFile, bytesOf, DATABASE_FILES, describeFile, type Manifest, readManifest } from './manifest.js';

/**
 * Checks the manifest, the checksums, the structure of both files, and the length and hash of each payload. Damaged payloads are reported
 * each; those that were damaged in the repository itself are no fault of the backup.
 *
 * @throws BackupError when the backup is not valid, or this version cannot restore it
 */
export async function verifyBackup(folder: string, observer = UNOBSERVED): Promise<Manifest> {

    const manifest = await readManifest(folder);
    await demandNoLogs(folder);
    observer.onPhase('verifying', bytesOf(manifest));
    const violations = [];
    for (const file of manifest.files) {
        violations.push(await violationOf(folder, file, observer));
    }

    const found = violations.filter((each) => each !== null);
    if (found.length > 0) {
        await reportDamaged(folder, observer);
        throw invalid(folder, found.join(', '));
    }

    let copy: SnapshotCopy | null = null;
    try {
        copy = new SnapshotCopy(folder, DEFAULT_STORE);
        await verifyContents(folder, manifest, { copy, observer });
    }
    catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        throw code?.startsWith('SQLITE_') === true ? invalid(folder, `its database cannot be read: ${message}`) : error;
    }
    finally {
        copy?.close();
    }

    return manifest;
}

interface Checked {
    readonly copy: SnapshotCopy;
    readonly observer: Observer;
}

/** Files beside a database with which it has other contents. */
async function demandNoLogs(folder: string): Promise<void> {

    const log = (await readdir(folder)).find((name) => DATABASE_FILES.some((file) => name.startsWith(`${file}-`)));
    if (log !== undefined) {
        throw invalid(folder, `${log} does not belong to it`);
    }
}

/** Returns what is wrong with a file. */
async function violationOf(folder: string, { name, size, sha256 }: BackupFile, observer: Observer): Promise<string | null> {

    const found = await stat(join(folder, name)).catch(() => null);
    if (!found?.isFile()) {
        return `${name} is missing`;
    }

    if (found.size !== size) {
        return `${name} has ${found.size} bytes instead of ${size}`;
    }

    return (await describeFile(folder, name, observer)).sha256 === sha256 ? null : `${name} was changed`;
}

/** Reports payloads that changed files have not as they were stored, as far as SQLite can read them. */
async function reportDamaged(folder: string, observer: Observer): Promise<void> {

    let copy: SnapshotCopy | null = null;
    try {
        copy = new SnapshotCopy(folder, DEFAULT_STORE);
        await checkElements(copy, observer);
    }
    catch {
        // That the backup is not valid is known already.
    }
    finally {
        copy?.close();
    }
}

async function verifyContents(folder: string, manifest: Manifest, { copy, observer }: Checked): Promise<void> {

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

    const { counts } = manifest;
    const { incompleteElements, changedElements } = await checkElements(copy, observer);
    if (incompleteElements !== counts.incompleteElements) {
        throw invalid(folder, `${incompleteElements} payloads lack bytes`);
    }

    if (changedElements !== counts.changedElements) {
        throw invalid(folder, `${changedElements} payloads have another hash than when they were stored`);
    }
}

function isDescribedBy(contents: CopyContents, { counts, highestTxnId }: Manifest): boolean {

    return highestTxnId === contents.highestTxnId && (['objects', 'versions', 'elements', 'elementBytes', 'elementsElsewhere'] as const)
        .every((name) => counts[name] === contents[name]);
}

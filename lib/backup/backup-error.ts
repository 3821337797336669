/** Errors of backups that the operator can fix. */

/**
 * - `unsupported`: the database is not an embedded one.
 * - `unreadable`: there is no repository, or no folder.
 * - `unwritable`: the target is not empty, cannot be written, or its disk is full.
 * - `damaged`: the database itself is damaged.
 * - `invalid`: the folder is no backup, was changed, or needs another version of this program.
 */
export type BackupErrorKind = 'unsupported' | 'unreadable' | 'unwritable' | 'damaged' | 'invalid';

/** An error with a sentence that names the folder and what is wrong. */
export class BackupError extends Error {

    readonly kind: BackupErrorKind;

    constructor(kind: BackupErrorKind, message: string) {

        super(message);
        this.name = 'BackupError';
        this.kind = kind;
    }
}

/** Returns the error for a folder that is no valid backup. */
export function invalid(folder: string, why: string): BackupError {

    return new BackupError('invalid', `${folder} is no valid backup: ${why}`);
}

/** Returns a number of bytes for messages. */
export function mebibytes(bytes: number): string {

    return `${(bytes / (1024 * 1024)).toFixed(1)} MiB`;
}

/** What a backup, verification or restore is doing. */
export type Phase = 'copying' | 'checksums' | 'verifying' | 'restoring';

/** Follows a backup, verification or restore. What it throws ends the work, and what was written is removed. */
export interface Observer {
    /** @param bytes that the phase will process */
    onPhase(phase: Phase, bytes: number): void;
    /** Called often, with the bytes that were processed since the last call. */
    onBytes(bytes: number): void;
    /** A payload is not as it was stored; its description. */
    onDamaged?(description: string): void;
}

/** An observer that does nothing. */
export const UNOBSERVED: Observer = { onPhase() {}, onBytes() {} };

/** What a process says of an error that ends its start, and the exit code. */

import { LostFileError } from '../db/engines/sqlite/lost-file.js';
import { UnusableDatabaseError, type UnusableReason } from '../db/errors.js';
import { DataDirError } from './app/data-dir.js';
import { NodeFolderError, NoRepositoryError } from './app/no-repository.js';
import { UnfinishedRestoreError } from './app/unfinished-restore.js';
import { ConfigError } from './config/index.js';
import { EXIT } from './errors/exit-codes.js';
import { SearchEngineError } from './search/opensearch/engine-error.js';
import { PayloadStoreError } from './stores/s3/s3-error.js';
import { FirstPasswordError } from './identity/passwords/admin-account.js';
import { ExtensionKeywordError } from './types/schema/extension-keyword.js';

/** Errors of the system that name an address. */
type AddressError = NodeJS.ErrnoException & Partial<Record<'port' | 'address' | 'hostname' | 'setting', string>>;

const DATABASE_CODES: Readonly<Record<UnusableReason, number>> = {
    damaged: EXIT.lost, forbidden: EXIT.unavailable, 'no-driver': EXIT.unavailable, newer: EXIT.config, rejected: EXIT.config, unsuitable: EXIT.config
};

/** An extension that cannot be registered, in one sentence. */
export class RegistrationError extends Error {}

/** Returns whether an operator must change something before the service can start, so that retries are of no use. */
export function isPermanent(error: unknown): boolean {

    return isLoss(error) || isOfSettings(error) || error instanceof UnusableDatabaseError || error instanceof NoRepositoryError ||
        error instanceof DataDirError && !error.mayPass || error instanceof PayloadStoreError || error instanceof SearchEngineError;
}

/** Returns the same for an attempt after the first: what others may make available meanwhile, such as a folder or a server, is waited for then. */
export function isPermanentLater(error: unknown): boolean {

    return isPermanent(error) && explainStartError(error)[1] !== EXIT.unavailable;
}

/** Returns whether the settings are wrong, or do not fit the repository. */
function isOfSettings(error: unknown): error is Error {

    return [ConfigError, FirstPasswordError, ExtensionKeywordError, NodeFolderError].some((kind) => error instanceof kind);
}

/** Returns whether a part of the repository is not where it should be. */
function isLoss(error: unknown): error is LostFileError | UnfinishedRestoreError {

    return error instanceof LostFileError || error instanceof UnfinishedRestoreError;
}

/** Returns one sentence for errors that the user can fix, a stack trace for others. */
export function explainStartError(error: unknown): [message: string, code: number] {

    if (isOfSettings(error)) {
        return [error.message, EXIT.config];
    }

    if (error instanceof NoRepositoryError) {
        return [error.message, EXIT.noInput];
    }

    if (error instanceof RegistrationError) {
        return [error.message, EXIT.failed];
    }

    if (error instanceof PayloadStoreError || error instanceof SearchEngineError) {
        return [error.message, error.isOutage ? EXIT.unavailable : EXIT.config];
    }

    if (isLoss(error)) {
        return [error.message, EXIT.lost];
    }

    if (error instanceof DataDirError) {
        return [error.message, EXIT.unavailable];
    }

    if (error instanceof UnusableDatabaseError) {
        return [error.message, DATABASE_CODES[error.reason]];
    }

    const { code, syscall, port, address, hostname, message, stack, setting } = error as AddressError;
    const prefix = setting === undefined ? '' : `${setting}_`;
    switch (syscall === 'listen' || syscall === 'getaddrinfo' ? code : undefined) {
        case 'EADDRINUSE':
            return [`port ${port} of ${address} is in use: stop what listens there, or choose another ${prefix}PORT`, EXIT.unavailable];
        case 'EACCES':
            return [`port ${port} may not be listened on: choose a ${prefix}PORT above 1023`, EXIT.unavailable];
        case 'EADDRNOTAVAIL':
        case 'ENOTFOUND':
        case 'EAI_AGAIN':
            return [`${prefix}HOST ${address ?? hostname ?? ''} is no address of this machine`, EXIT.unavailable];
        default:
            return [stack ?? message, EXIT.failed];
    }
}

/** Ends the process with what {@link explainStartError} says. */
export function endWith(error: unknown): never {

    const [message, code] = explainStartError(error);
    process.stderr.write(`doip-gateway: ${message}\n`);
    process.exit(code);
}

/**
 * Validates code when it is saved: syntax errors and exports that cannot be called are rejected with their position. Errors
 * while loading are only logged, since missing parts may be stored later.
 */

import type { Logger } from 'pino';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { CodeInspector } from '../../objects/content-pipeline.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { DoipError } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { readBytes } from '../../doip/segments.js';
import { Status } from '../../errors/status.js';
import { DESIGN_TYPE, SCHEMA_TYPE } from '../../types/built-in-types.js';
import { INITIAL_SCRIPTS } from '../../types/seed-content.js';
import { designUnit, handlesUnit, MAX_MODULE_BYTES, modulePath, typeUnit, type ModuleOpener } from '../program/program-catalog.js';
import type { EntryModuleError } from '../program/module-exports.js';
import { createHash } from 'node:crypto';
import type { ProgramCatalog } from '../program/program-catalog.js';
import type { ScriptHost } from '../protocol/script-host.js';
import type { ScriptPool } from '../pool/script-pool.js';
import { withUnit, type EntryModule } from '../protocol/program.js';

/** A piece of code in content. */
interface CodeEntry {
    readonly pointer: string;
    readonly unit: EntryModule;
}

/** Dependencies of the validation; `host` answers code that is loaded to find its errors. */
interface ValidatorParts {
    readonly pool: ScriptPool;
    readonly scripts: Pick<ProgramCatalog, 'program'>;
    readonly host: () => ScriptHost;
    readonly elements: ModuleOpener;
    readonly log: Logger;
}

/** Validates the code in objects. */
export class CodeValidator implements CodeInspector {

    readonly #parts: ValidatorParts;

    constructor(parts: ValidatorParts) {

        this.#parts = parts;
    }

    /**
     * Validates changed code; returns null if there is none.
     *
     * @throws DoipError 400 with JSON pointer, line and column
     */
    inspect(change: Parameters<CodeInspector['inspect']>[0]): Promise<void> | null {

        const { before, after, processed, caller } = change;
        const directory = processed?.moduleDirectory;
        if (directory === undefined && after.type !== SCHEMA_TYPE && after.type !== DESIGN_TYPE) {
            return null;
        }

        const entries = entriesOf(after);
        const formerCode = new Map(before ? entriesOf(before).map(({ pointer, unit }) => [pointer, unit.code]) : []);
        const changed = entries.filter(({ pointer, unit }) => formerCode.get(pointer) !== unit.code && !INITIAL_SCRIPTS.has(unit.code));
        const modules = directory === undefined ? [] : newElements(before, after);
        return changed.length + modules.length === 0 ? null : this.#check(changed, directory ?? '', modules, caller.userId ?? '');
    }

    async #check(entries: readonly CodeEntry[], directory: string, modules: readonly StoredElement[], callerKey: string): Promise<void> {

        for (const { pointer, unit } of entries) {
            this.#demandValid(await this.#errorIn(unit, callerKey), unit, { pointer });
        }

        for (const element of modules) {
            const code = (await readBytes(this.#parts.elements.open(element, null), MAX_MODULE_BYTES)).toString();
            const unit = { name: modulePath(directory, element.name), label: `module ${element.name}`, code };
            const moduleError = element.name.endsWith('.json') ? jsonError(unit.code) : await this.#errorIn(unit, callerKey);
            this.#demandValid(moduleError, unit, { pointer: '', payload: element.name });
        }
    }

    /** Loads a unit; returns its error, or null if there is none. */
    async #errorIn(unit: EntryModule, callerKey: string): Promise<EntryModuleError | null> {

        const { pool, scripts: { program }, host } = this.#parts;
        const digest = createHash('sha256').update(unit.code).digest('base64url');
        const candidate = withUnit(program, unit, `${program.version} ${digest}`);
        return (await pool.describe({ unit, program: candidate, host: host(), callerKey })).error;
    }

    #demandValid(moduleError: EntryModuleError | null, unit: EntryModule, where: { pointer: string; payload?: string }): void {

        if (!moduleError) {
            return;
        }

        const { kind, message, line, column } = moduleError;
        const position = line === null ? '' : ` (line ${line}${column === null ? '' : `, column ${column}`})`;
        if (kind === 'load') {
            this.#parts.log.warn({ event: 'script.not-loadable', script: unit.label, reason: `${message}${position}` }, 'stored code cannot be loaded yet');
            return;
        }

        const error: JsonObject = { ...where, message, ...line === null ? {} : { line }, ...column === null ? {} : { column } };
        const name = where.payload === undefined ? where.pointer : `payload ${where.payload}`;
        throw new DoipError(Status.badRequest, `${name}: ${message}${position}`, { details: { errors: [error] } });
    }
}

/** Returns the code in the content of a Schema object or of the design; versions have none that runs. */
function entriesOf({ type, content, metadata }: StoredObject): CodeEntry[] {

    if (metadata.isVersion) {
        return [];
    }

    if (type === SCHEMA_TYPE) {
        return entry('/javascript', content['javascript'], (code) => typeUnit(typeof content['name'] === 'string' ? content['name'] : '', code));
    }

    if (type !== DESIGN_TYPE) {
        return [];
    }

    const builtIn = isJsonObject(content['builtInTypes']) ? Object.entries(content['builtInTypes']) : [];
    const minting = isJsonObject(content['handleMintingConfig']) ? content['handleMintingConfig'] : {};
    return [
        ...entry('/javascript', content['javascript'], designUnit),
        ...entry('/handleMintingConfig/javascript', minting['javascript'], handlesUnit),
        ...builtIn.flatMap(([name, member]) => (
            isJsonObject(member) ? entry(`/builtInTypes/${name}/javascript`, member['javascript'], (code) => typeUnit(name, code)) : []
        ))
    ];
}

function entry(pointer: string, code: JsonValue | undefined, unitOf: (code: string) => EntryModule): CodeEntry[] {

    return typeof code === 'string' && code !== '' ? [{ pointer, unit: unitOf(code) }] : [];
}

function newElements(before: StoredObject | null, after: StoredObject): StoredElement[] {

    const formerBlobs = new Set(before?.elements.map(({ blobId, store }) => `${store} ${blobId}`));
    return after.elements.filter(({ blobId, store }) => !formerBlobs.has(`${store} ${blobId}`));
}

function jsonError(text: string): EntryModuleError | null {

    try {
        JSON.parse(text);
        return null;
    }
    catch (error) {
        return { kind: 'syntax', message: error instanceof Error ? error.message : 'is not JSON', line: null, column: null };
    }
}

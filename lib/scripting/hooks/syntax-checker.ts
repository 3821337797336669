/**
 * Tries code that is not stored yet, in the place that it is going to have.
 */

import { createHash } from 'node:crypto';
import type { ProgramCatalog } from '../program/program-catalog.js';
import type { UnitFault } from '../program/module-exports.js';
import type { ScriptHost } from '../protocol/script-host.js';
import type { ScriptPool } from '../pool/script-pool.js';
import { withUnit, type EntryModule } from '../protocol/program.js';

/** Tries code. */
export class SyntaxChecker {

    readonly #pool: ScriptPool;
    readonly #scripts: ProgramCatalog;
    readonly #host: () => ScriptHost;

    constructor(parts: { pool: ScriptPool; scripts: ProgramCatalog; host: () => ScriptHost }) {

        this.#pool = parts.pool;
        this.#scripts = parts.scripts;
        this.#host = parts.host;
    }

    /** What is wrong with a unit; null when nothing is. */
    async faultOf(unit: EntryModule): Promise<UnitFault | null> {

        const { world } = this.#scripts;
        const digest = createHash('sha256').update(unit.code).digest('base64url');
        const tried = withUnit(world, unit, `${world.version} ${digest}`);
        return (await this.#pool.describe({ unit, world: tried, host: this.#host(), callerKey: '' })).fault;
    }
}

/** Access rules of types beside others whose code takes too long, or cannot be run for a while. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { TypeRegistry } from '../../../../lib/types/type-registry.js';
import { AuthConfigHooks } from '../../../../lib/scripting/hooks/auth-config-hooks.js';
import { DEFAULT_LIMITS } from '../../../../lib/scripting/pool/script-pool.js';
import type { Program } from '../../../../lib/scripting/protocol/program.js';
import { typeUnit } from '../../../../lib/scripting/program/program-catalog.js';
import { worldOf } from '../../../support/scripts.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const QUICK = 'exports.getAuthConfig = () => ({ aclCreate: ["public"] });';
const ENDLESS = 'exports.getAuthConfig = () => { for (;;) {} };';

/** A state of the catalog, by the code of its types. */
function stateOf(types: Readonly<Record<string, string>>): TypeRegistry {

    const registry = { codedNames: () => Object.keys(types), get: (name: string) => ({ name, javascript: types[name], schemaId: null }) };
    return registry as unknown as TypeRegistry;
}

describe('access rules of types', () => {

    let log: JsonObject[];
    let hooks: AuthConfigHooks;
    /** Called before the code of a state is run. */
    let onStart: () => void;

    beforeEach(() => {

        log = [];
        onStart = () => {};
        const programOf = (version: string, registry: TypeRegistry): Program => {

            onStart();
            const units = registry.codedNames().map((name) => typeUnit(name, registry.get(name)?.javascript ?? ''));
            return worldOf(units, {}, version);
        };

        hooks = new AuthConfigHooks({
            scripts: { programOf }, limits: { ...DEFAULT_LIMITS, timeout: 1000 }, totalTime: 50,
            log: pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line) as JsonObject) })
        });
    });

    afterEach(() => hooks.close());

    const compute = async (registry: TypeRegistry, onRevised: Parameters<AuthConfigHooks['of']>[2] = () => {}): Promise<string[]> => (
        [...(await hooks.of(registry, [], onRevised)).keys()]
    );
    const failedTypes = (): unknown[] => log.filter(({ event }) => event === 'script.access-rules-failed').map(({ script }) => script);

    it('are computed although the code of others takes all the time, however slow they are', async () => {

        const types = { Endless1: ENDLESS, Endless2: ENDLESS, Quick: QUICK };
        const more = { Endless0: ENDLESS, ...types, Quick2: QUICK };

        // On a busy machine quick code may take too long as well. Without the order, endless code takes all the time each time.
        await until(async () => (await compute(stateOf(types))).join() === 'Quick');
        await until(async () => (await compute(stateOf(more))).includes('Quick'));
    });

    it('are said not to be computed, once for each type', async () => {

        await compute(stateOf({ Endless1: ENDLESS, Endless2: ENDLESS }));

        expect<unknown>(failedTypes()).to.equal(['type Endless1', 'type Endless2']);
    });

    it('are not computed any more in the background for a state that is not in effect', async () => {

        const telling = (text: string): string => `exports.getAuthConfig = () => { console.log("${text}"); for (;;) {} };`;
        const told = (text: string): number => log.filter((line) => line['text'] === text).length;
        await compute(stateOf(Object.fromEntries(['A', 'B', 'C', 'D'].map((name) => [name, telling('former')]))));
        const inFront = told('former');
        // The first type of this state runs in the background now.
        await until(() => told('former') > inFront);
        const former = told('former');
        await compute(stateOf({ E: telling('later') }));
        const later = told('later');
        // One thread runs all code in the background, in turn.
        await until(() => told('later') > later);

        expect(told('former')).to.equal(former);
    });

    it('are tried again in the background after an error there', async () => {

        const types = { Slow: ENDLESS };
        let revised: string[] = [];
        await compute(stateOf(types), (rules) => {

            revised = [...rules.keys()];
        });
        types.Slow = QUICK;
        let failures = 0;
        onStart = () => {

            onStart = () => {};
            failures += 1;
            throw new Error('no thread can be started');
        };

        await until(() => revised.length > 0);

        expect([failures, revised]).to.equal([1, ['Slow']]);
        expect<unknown>(log.flatMap(({ err }) => (err as JsonObject | undefined)?.['message'] ?? [])).to.equal(['no thread can be started']);
    });
});

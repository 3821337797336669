/**
 * The methods of all types and of the service, for the public description of the service. Exports are known only when code has run, and
 * any code may be slow: each unit runs once for a state of the types, one after the other, and nobody waits for long.
 */

import { DESIGN_TYPE } from '../../types/built-in-types.js';
import type { Catalog } from '../../types/catalog.js';
import { resolvesWithin } from '../../util/concurrency/timeout.js';
import type { ProgramCatalog } from '../program/program-catalog.js';
import type { FoundMethod, Methods } from './methods.js';

/** A method with what a description needs. */
export interface SurveyedMethod extends Pick<FoundMethod, 'kind' | 'type' | 'name' | 'allowGet' | 'description'> {
    /** Id of the object on which a static method is an operation. */
    readonly schemaId?: string;
}

/** Maximum numbers of methods; there are no more of the others in a description. */
const MAX_METHODS = 2000;
const MAX_OF_TYPE = 200;

/** Maximum length of a name in UTF-16 code units. */
const MAX_NAME = 255;

/** Maximum length of the schemas of all methods, as JSON; further methods have none. */
const MAX_SCHEMAS = 4 * 1024 * 1024;

/** Milliseconds after which a survey that lacks methods is repeated. */
const REPEAT_MS = 5000;

/** The methods that are known of one state of the types. */
interface Survey {
    readonly version: string;
    readonly found: SurveyedMethod[];
    /** What those get who did not wait for the end. */
    partial: readonly SurveyedMethod[] | null;
    isComplete: boolean;
    /** When it is to be repeated, as code could not be run, such as with too much to do; null for never. */
    repeatOn: number | null;
    schemas: number;
    done: Promise<void>;
}

/** Collects the methods of all types. */
export class MethodSurvey {

    readonly #methods: Pick<Methods, 'ofType' | 'onService'>;
    readonly #catalog: Pick<Catalog, 'current'>;
    readonly #scripts: Pick<ProgramCatalog, 'program' | 'unitOf'>;
    readonly #timeout: number;
    readonly #repeatMs: number;
    #survey: Survey | null = null;

    /** @param parts `timeout`: milliseconds for which {@link current} waits; `repeatMs`: those after which what failed is tried again */
    constructor(parts: {
        methods: Pick<Methods, 'ofType' | 'onService'>; catalog: Pick<Catalog, 'current'>; scripts: Pick<ProgramCatalog, 'program' | 'unitOf'>;
        timeout: number; repeatMs?: number;
    }) {

        this.#methods = parts.methods;
        this.#catalog = parts.catalog;
        this.#scripts = parts.scripts;
        this.#timeout = parts.timeout;
        this.#repeatMs = parts.repeatMs ?? REPEAT_MS;
    }

    /**
     * Returns the methods of the current types: the same list as long as nothing changes. While code that is slow is still running, those
     * that were known when the first caller had waited long enough.
     */
    async current(): Promise<readonly SurveyedMethod[]> {

        const survey = this.#begun();
        if (!survey.partial && !survey.isComplete) {
            await resolvesWithin(survey.done, this.#timeout);
        }

        survey.partial ??= survey.isComplete ? null : [...survey.found];
        return survey.isComplete ? survey.found : survey.partial ?? [];
    }

    #begun(): Survey {

        const { version } = this.#scripts.program;
        const repeatOn = this.#survey?.repeatOn ?? null;
        if (this.#survey?.version !== version || repeatOn !== null && performance.now() >= repeatOn) {
            this.#survey = { version, found: [], partial: null, isComplete: false, repeatOn: null, schemas: 0, done: Promise.resolve() };
            this.#survey.done = this.#run(this.#survey);
        }

        return this.#survey;
    }

    /** Ends early when the types change. */
    async #run(survey: Survey): Promise<void> {

        const types = this.#catalog.current;
        let isLacking = false;
        for (const type of [null, ...types.codedNames().sort()]) {
            if (survey.found.length >= MAX_METHODS || this.#scripts.program.version !== survey.version) {
                break;
            }

            const methods = await this.#of(type).catch((): readonly FoundMethod[] => {

                isLacking = true;
                return [];
            });
            const schemaId = type === null ? null : types.get(type)?.schemaId ?? null;
            add(survey, methods.filter(({ name }) => name.length <= MAX_NAME && name.isWellFormed()), schemaId);
        }

        survey.isComplete = true;
        survey.repeatOn = isLacking ? performance.now() + this.#repeatMs : null;
    }

    /** The methods of a type; of the service for null. */
    async #of(type: string | null): Promise<readonly FoundMethod[]> {

        if (type === null) {
            return (await this.#methods.onService()).found;
        }

        // The type of the design has the code of the design.
        return type === DESIGN_TYPE || !this.#scripts.unitOf(type) ? [] :
            [...(await this.#methods.ofType(type, 'methods')).found, ...(await this.#methods.ofType(type, 'staticMethods')).found];
    }
}

function add(survey: Survey, methods: readonly FoundMethod[], schemaId: string | null): void {

    for (const { kind, type, name, allowGet, description } of methods.slice(0, Math.min(MAX_OF_TYPE, MAX_METHODS - survey.found.length))) {
        const length = description ? JSON.stringify(description).length : 0;
        const fits = survey.schemas + length <= MAX_SCHEMAS;
        survey.schemas += fits ? length : 0;
        survey.found.push({
            kind, type, name, allowGet, description: fits ? description : null, ...kind === 'static' && schemaId !== null ? { schemaId } : {}
        });
    }
}

/**
 * Extracts the elements of a JSON array, or of the array `results` in an object, from a stream. See `item-splitter.ts`.
 */

import { ByteBuffer } from '../../util/streams/byte-buffer.js';
import { badRequest } from '../../errors/errors.js';
import { parseJson } from '../strict-parser.js';
import { isBlank, ValueScanner } from './value-scanner.js';

/** One item of the text. */
export interface JsonItem {
    /** 0-based. */
    readonly position: number;
    /** Start in the text, in bytes. */
    readonly offset: number;
    /** Length in bytes. */
    readonly length: number;
    /** Null when it exceeds the limit. */
    readonly bytes: Buffer | null;
}

/** Limits of {@link ArraySplitter}. */
export interface ArrayLimits {
    /** Maximum length of an item, in bytes; longer ones have no bytes. */
    readonly maxItemBytes: number;
    /** Maximum length of the names and values of the members beside `results`, all together, in bytes; default unlimited. */
    readonly maxOtherBytes?: number;
    /** Maximum nesting of such a value; that of the parser by default. */
    readonly maxDepth?: number;
    /** Maximum number of values in such a value; default unlimited. */
    readonly maxValues?: number;
}

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const QUOTE = 0x22;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

type ValueKind = 'element' | 'name' | 'member';

type State =
    | 'start' | 'end'
    | 'element-or-end' | 'element' | 'after-element'
    | 'name-or-end' | 'name' | 'colon' | 'member' | 'results' | 'after-member';

const EXPECTED: Readonly<Record<State, string>> = {
    'start': 'an array, or an object with results',
    'end': 'nothing more',
    'element-or-end': 'an object or ]',
    'element': 'an object',
    'after-element': ', or ]',
    'name-or-end': 'a property name or }',
    'name': 'a property name',
    'colon': ':',
    'member': 'a value',
    'results': 'an array',
    'after-member': ', or }'
};

/** State machine for an array, or an object with the array `results`. */
export class ArraySplitter {

    readonly #limits: ArrayLimits;
    readonly #buffer: ByteBuffer;
    readonly #scanner = new ValueScanner();
    #state: State = 'start';
    /** Kind of the value that is being buffered; null between values. */
    #value: ValueKind | null = null;
    #isObject = false;
    #name = '';
    #hasResults = false;
    #position = 0;
    /** Number of bytes before the current chunk. */
    #before = 0;
    #valueStart = 0;
    /** Number of bytes of names and values of other members before the current one. */
    #otherBytes = 0;

    constructor(limits: ArrayLimits) {

        this.#limits = limits;
        this.#buffer = new ByteBuffer(limits.maxItemBytes);
    }

    /** Returns the items that end in this chunk. Must be iterated to the end before the next chunk. Throws DoipError 400 for a syntax error. */
    *split(chunk: Uint8Array): Generator<JsonItem> {

        let i = 0;
        while (i < chunk.byteLength) {
            if (this.#value) {
                const end = this.#scanner.scan(chunk, i);
                const isOver = end !== -1;
                this.#buffer.add(chunk.subarray(i, isOver ? end : undefined));
                this.#checkLength();
                i = isOver ? end : chunk.byteLength;
                if (isOver) {
                    yield *this.#finish();
                }
            }
            else {
                const byte = chunk[i] ?? 0;
                if (isBlank(byte)) {
                    ++i;
                }
                else {
                    i += this.#step(byte, this.#before + i);
                }
            }
        }

        this.#before += chunk.byteLength;
    }

    /** Number of bytes in memory of the value that has not ended yet. */
    get held(): number {

        return this.#buffer.held;
    }

    /** Ends the text, with which no item ends. Throws DoipError 400 when it is incomplete. */
    end(): readonly JsonItem[] {

        if (this.#value || this.#state !== 'end') {
            throw this.#broken(this.#value ? 'the text ends within a value' : `the text ends where ${EXPECTED[this.#state]} is expected`, this.#before);
        }

        return [];
    }

    /** Handles one byte between values; returns how many bytes were consumed. */
    #step(byte: number, offset: number): number {

        const state = this.#state;
        if (state === 'start' && byte === MARK[offset]) {
            return 1;
        }

        const next = PUNCTUATION[state].get(byte);
        if (next !== undefined) {
            this.#enter(next, byte, offset);
            return 1;
        }

        const value = VALUES[state];
        if (value && !NO_VALUE.has(byte) && (value !== 'name' || byte === QUOTE)) {
            this.#value = value;
            this.#valueStart = offset;
            this.#scanner.begin();
            return 0;
        }

        throw this.#broken(`expected ${EXPECTED[state]}`, offset);
    }

    #enter(next: State, byte: number, offset: number): void {

        if (this.#state === 'start') {
            this.#isObject = byte === OPEN_OBJECT;
        }

        if (byte === CLOSE_ARRAY) {
            this.#state = this.#isObject ? 'after-member' : 'end';
            return;
        }

        if (byte === CLOSE_OBJECT && !this.#hasResults) {
            throw this.#broken('an object must have results, an array; newline-delimited JSON needs the media type application/x-ndjson', offset);
        }

        this.#state = byte === COLON && this.#name === 'results' ? this.#results(offset) : next;
    }

    #results(offset: number): State {

        if (this.#hasResults) {
            throw this.#broken('property name results is repeated', offset);
        }

        this.#hasResults = true;
        return 'results';
    }

    /** Refuses other members that are too long, before they have arrived. */
    #checkLength(): void {

        const { maxOtherBytes = Infinity } = this.#limits;
        if (this.#value !== 'element' && this.#otherBytes + this.#buffer.length > maxOtherBytes) {
            throw this.#broken(`the properties beside results are longer than the allowed ${maxOtherBytes} bytes`, this.#valueStart);
        }
    }

    *#finish(): Generator<JsonItem> {

        const kind = this.#value;
        const { bytes, length } = this.#buffer.finish();
        this.#value = null;
        if (kind === 'element') {
            this.#state = 'after-element';
            yield { position: this.#position++, offset: this.#valueStart, length, bytes };
            return;
        }

        this.#otherBytes += length;
        const value = this.#parse(bytes);
        if (kind === 'name') {
            this.#name = String(value);
            this.#state = 'colon';
        }
        else {
            this.#state = 'after-member';
        }
    }

    #parse(bytes: Buffer | null): unknown {

        if (bytes === null) {
            throw this.#broken('a property beside results is too long', this.#valueStart);
        }

        try {
            const { maxDepth, maxValues } = this.#limits;
            return parseJson(bytes, { ...maxDepth === undefined ? {} : { maxDepth }, ...maxValues === undefined ? {} : { maxValues } });
        }
        catch (error) {
            throw this.#broken((error as Error).message, this.#valueStart);
        }
    }

    #broken(message: string, offset: number): Error {

        return badRequest(`the list of objects is broken at byte ${offset}: ${message}`, { details: { offset } });
    }
}

/** Transitions by punctuation. */
const PUNCTUATION: Readonly<Record<State, ReadonlyMap<number, State>>> = {
    'start': new Map([[OPEN_ARRAY, 'element-or-end'], [OPEN_OBJECT, 'name-or-end']]),
    'end': new Map(),
    'element-or-end': new Map([[CLOSE_ARRAY, 'end']]),
    'element': new Map(),
    'after-element': new Map([[COMMA, 'element'], [CLOSE_ARRAY, 'end']]),
    'name-or-end': new Map([[CLOSE_OBJECT, 'end']]),
    'name': new Map(),
    'colon': new Map([[COLON, 'member']]),
    'member': new Map(),
    'results': new Map([[OPEN_ARRAY, 'element-or-end']]),
    'after-member': new Map([[COMMA, 'name'], [CLOSE_OBJECT, 'end']])
};

/** Kind of the value that may start in a state. */
const VALUES: Readonly<Partial<Record<State, ValueKind>>> = {
    'element-or-end': 'element', 'element': 'element', 'name-or-end': 'name', 'name': 'name', 'member': 'member'
};

/** Bytes that no value starts with. */
const NO_VALUE: ReadonlySet<number> = new Set([COMMA, COLON, CLOSE_ARRAY, CLOSE_OBJECT]);

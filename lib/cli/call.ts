/**
 * `doip-gateway call OPERATION TARGET`: performs any operation, with files as elements, on the repository of the data folder or on any DOIP
 * service.
 */

import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorOf } from '../client/errors.js';
import { connect, type ClientOptions } from '../client/index.js';
import { objectInput } from '../client/request-input.js';
import { type ClientSegment, readJsonBody } from '../client/connection.js';
import { Op } from '../doip/operation-ids.js';
import { Status } from '../errors/status.js';
import { numberTextsOf, objectOf, setNumberTexts } from '../json/exact-numbers.js';
import { jsonText } from '../json/raw-json.js';
import { parseJson } from '../json/strict-parser.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { makeFolder } from '../util/make-folder.js';
import { CommandError, EXIT, incomplete, rejection, unreadable } from './command-error.js';
import { type CommandOptions, URL_OPTIONS, type Work } from './command.js';
import { demandNew, writeOutput } from './output.js';
import { Progress } from './terminal/progress.js';
import type { CliRequest, Reply } from './remote.js';
import { readSecrets } from './terminal/secret-prompt.js';
import type { Service } from './service.js';

/** Connects to the service at a URL. */
export async function serviceAt(url: string, options: CommandOptions): Promise<Service> {

    const client = orUsage(connect, url, { ...await clientOptions(options), retries: { attempts: 1 } });
    return {
        location: url,
        async perform(request) {

            return client.perform({ ...request, jsonAsBytes: true }).catch((error: Error) => {

                throw new CommandError(connectionProblem(url, error), EXIT.unavailable);
            });
        },
        close: () => Promise.resolve(client.close())
    };
}

/** What is known about errors of connections, by their codes. */
const PROBLEMS: readonly (readonly [codes: RegExp, sentence: (url: string) => string])[] = [
    [/^ECONNREFUSED$/, (url) => `nothing listens at ${url}: is the service running, and is the port right?`],
    [/^(?:ENOTFOUND|EAI_AGAIN)$/, (url) => `the host of ${url} is not known: is its name right?`],
    [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, (url) => `${url} cannot be reached: is there a network, or a firewall?`],
    [/^(?:ECONNRESET|EPIPE)$/, (url) => `${url} broke the connection off: is it this protocol that it speaks?`],
    [/^(?:EPROTO|ERR_SSL_\w+)$/, (url) => `${url} does not speak TLS as expected: is it http instead of https?`]
];

function connectionProblem(url: string, error: Error): string {

    const { code } = error as NodeJS.ErrnoException;
    // OpenSSL's text has the place in its sources as well.
    const [, reason] = /:SSL routines:[^:]*:([^:]+):/.exec(error.message) ?? [];
    const sentence = PROBLEMS.find(([codes]) => code !== undefined && codes.test(code))?.[1](url);
    return sentence === undefined ? `${url}: ${error.message}` : `${sentence} (${reason ?? (error.message || code)})`;
}

async function clientOptions(options: CommandOptions): Promise<ClientOptions> {

    const { user, insecure, cert, 'cert-key': key, 'service-key': serviceKey } = options;
    if ((cert === undefined) !== (key === undefined)) {
        throw new CommandError('--cert and --cert-key belong together', EXIT.usage);
    }

    const token = process.env['DOIP_TOKEN'] ?? '';
    return {
        ...user === undefined ? token === '' ? {} : { token } : { username: user, password: await passwordOf(user) },
        ...insecure === undefined ? {} : { insecure },
        ...cert === undefined || key === undefined ? {} : { certificate: { cert: readFile(cert).toString(), key: readFile(key).toString() } },
        ...serviceKey === undefined ? {} : { publicKey: publicKeyIn(serviceKey) }
    };
}

async function passwordOf(user: string): Promise<string> {

    const password = process.env['DOIP_PASSWORD'] ?? '';
    if (password !== '') {
        return password;
    }

    if (!process.stdin.isTTY) {
        throw new CommandError('--user needs the password in DOIP_PASSWORD, or a terminal to ask for it', EXIT.usage);
    }

    const [answer = ''] = await readSecrets(`password of ${user}: `);
    return answer;
}

/** A JWK, or the response of Hello, which has one. */
function publicKeyIn(file: string): JsonObject {

    const value = readJsonFile(file);
    const { attributes } = isJsonObject(value) ? value : {};
    const key = isJsonObject(attributes) ? attributes['publicKey'] : value;
    if (!isJsonObject(key) || typeof key['kty'] !== 'string') {
        throw new CommandError(`${file} has no public key: expected a JWK, or the response of Hello`, EXIT.data);
    }

    return key;
}

/** Throws a CommandError for options that say who is calling, or whom, where that is the administrator of the data folder. */
export function demandUrlFor(options: CommandOptions): void {

    const useless = options.url === undefined ? URL_OPTIONS.find((name) => options[name] !== undefined) : undefined;
    if (useless) {
        throw new CommandError(`--${useless} needs --url: without it the service is that of DATA_DIR, and the caller its administrator`, EXIT.usage);
    }
}

/** Prepares a call: everything about its arguments and files is checked before anything is sent. The `label` is that of its progress. */
export async function prepareCall([operationId = '', targetId = '']: readonly string[], options: CommandOptions, label = 'call'): Promise<Work> {

    const { output = '-', force = false } = options;
    demandUrlFor(options);
    const elements = await Promise.all((options.element ?? []).map(elementFile));
    const sending = new Progress(label, elements.reduce((sum, { size }) => sum + size, 0));
    const request = { operationId: operationOf(operationId, targetId), targetId, attributes: attributesOf(options), ...inputOf(options, elements, sending) };
    const isFolder = output.endsWith('/') || output !== '-' && await isDirectory(output);
    if (!isFolder) {
        await demandNew(output, force);
    }

    return async (service) => {

        const reply = await service.perform(request);
        if (reply.status !== Status.ok) {
            const { message } = await errorOf(reply);
            throw rejection(reply.status, message);
        }

        sending.endIfShown('sent');
        const receiving = new Progress(label, null);
        const text = (): AsyncIterable<Uint8Array> => (output === '-' ? textOf(reply.output) : receiving.of(textOf(reply.output)));
        await (isFolder ? saveElements(reply, { folder: output, force, receiving }) : writeOutput(output, text(), force)).catch(incomplete);
        receiving.endIfShown('received');
    };
}

/** Operations of the service by the last word of their ids. On an object a short name may be a method of its type. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
    Object.values(Op).filter((id) => /^\d+\.DOIP\/Op\./.test(id)).map((id) => [id.replace(/^\d+\.DOIP\/Op\./, ''), id]));

function operationOf(name: string, targetId: string): string {

    return targetId === 'service' ? SHORT_NAMES.get(name) ?? name : name;
}

/** Attributes of `--attributes`, and those that are given one by one as NAME=VALUE. */
function attributesOf({ attributes = [] }: CommandOptions): JsonObject {

    const all: JsonObject = {};
    for (const text of attributes) {
        const named = /^([^={}"]+)=([^]*)$/.exec(text);
        const value = named ? objectOf(named[1] ?? '', valueOf(named[2] ?? '')) : orUsage(parseJson, text);
        if (!isJsonObject(value)) {
            throw new CommandError(`--attributes must be NAME=VALUE or a JSON object, not ${text}`, EXIT.usage);
        }

        const texts = new Map([...numberTextsOf(all) ?? [], ...numberTextsOf(value) ?? []]);
        setNumberTexts(Object.assign(all, value), texts);
    }

    return all;
}

/** A value that is JSON is parsed, any other is text. */
function valueOf(text: string): JsonValue {

    try {
        return parseJson(text, { sentNumber: true });
    }
    catch {
        return text;
    }
}

/** A file to be sent as an element. */
interface ElementFile {
    readonly id: string;
    readonly path: string;
    readonly type?: string;
    readonly size: number;
}

/** Reads `ID=FILE` or `ID=FILE;type=MEDIA/TYPE`. */
async function elementFile(text: string): Promise<ElementFile> {

    const [, id = '', path = '', type] = /^([^=]+)=(.+?)(?:;type=([^;]+))?$/.exec(text) ?? [];
    if (id === '') {
        throw new CommandError(`--element must be ID=FILE or ID=FILE;type=MEDIA/TYPE, not ${text}`, EXIT.usage);
    }

    const found = await stat(path).catch((error: Error) => {

        throw unreadable(path, error);
    });
    if (found.isDirectory()) {
        throw unreadable(path, { code: 'EISDIR', message: '' });
    }

    return { id, path, size: found.size, ...type === undefined ? {} : { type } };
}

function inputOf({ input, json }: CommandOptions, elements: readonly ElementFile[], progress: Progress): Pick<CliRequest, 'input'> {

    if (input !== undefined && json !== undefined) {
        throw new CommandError('--input and --json exclude each other', EXIT.usage);
    }

    const value = json === undefined ? input === undefined ? undefined : readJsonFile(input) : orUsage(parseJson, json);
    if (elements.length === 0) {
        return value === undefined ? {} : { input: value };
    }

    if (value !== undefined && !isJsonObject(value)) {
        throw new CommandError('--element needs an object as the input', EXIT.usage);
    }

    return { input: objectInput(value ?? {}, elements.map(({ id, path, type }) => ({
        id, filename: basename(path), body: progress.of(bytesIn(path)), ...type === undefined ? {} : { type }
    }))) };
}

/** The bytes of a file, which is opened when they are read. */
async function *bytesIn(path: string): AsyncGenerator<Uint8Array, void, undefined> {

    yield *createReadStream(path) as AsyncIterable<Uint8Array>;
}

/** The output as it is printed: JSON ends with a line end, bytes are as they are. */
async function *textOf(output: AsyncIterable<ClientSegment>): AsyncGenerator<Uint8Array, void, undefined> {

    for await (const segment of output) {
        if (segment.kind === 'json') {
            yield Buffer.from(jsonText(segment.value));
        }
        else {
            yield *segment.body;
        }

        if (isJson(segment)) {
            yield Buffer.from('\n');
        }
    }
}

function isJson(segment: ClientSegment): boolean {

    return segment.kind === 'json' || 'isJson' in segment;
}

/** Prints the object, and writes each element to a file of its own, named by its id. */
async function saveElements(
    { output }: Reply, { folder, force, receiving }: { readonly folder: string; readonly force: boolean; readonly receiving: Progress }
): Promise<void> {

    makeOutputFolder(folder);
    // On disks without upper and lower case, elements whose ids differ in nothing else have one file.
    const written = new Map<string, string>();
    let name = 'output';
    for await (const segment of output as AsyncIterable<ClientSegment>) {
        if (!isJson(segment)) {
            const path = join(folder, name);
            await demandNew(path, force);
            const former = written.get(await fileKey(path));
            if (former !== undefined) {
                throw new CommandError(`${path} is the file of element ${former} on this disk: read the elements one by one with --element`, EXIT.cannotCreate);
            }

            await writeOutput(path, segment.kind === 'bytes' ? receiving.of(segment.body) : [], force);
            written.set(await fileKey(path), name);
            name = 'output';
            continue;
        }

        const value = await valueIn(segment);
        const id = isJsonObject(value) && Object.keys(value).length === 1 ? value['id'] : undefined;
        if (typeof id === 'string') {
            name = fileName(id);
        }
        else {
            await writeOutput('-', [Buffer.from(`${jsonText(value)}\n`)]);
        }
    }
}

function makeOutputFolder(folder: string): void {

    try {
        makeFolder(folder);
    }
    catch (error) {
        throw new CommandError(`${folder} cannot be written: ${(error as Error).message}`, EXIT.cannotCreate);
    }
}

/** Identifies a file, however it is named; empty without one. */
async function fileKey(path: string): Promise<string> {

    const found = await stat(path, { bigint: true }).catch(() => null);
    return found ? `${found.dev}:${found.ino}` : '';
}

async function valueIn(segment: ClientSegment): Promise<JsonValue> {

    return segment.kind === 'json' ? segment.value : readJsonBody(segment.body);
}

/** An element id as the name of a file in one folder. */
function fileName(id: string): string {

    return encodeURIComponent(id.toWellFormed()).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length));
}

async function isDirectory(path: string): Promise<boolean> {

    return stat(path).then((found) => found.isDirectory(), () => false);
}

function readFile(file: string): Buffer {

    try {
        return readFileSync(file === '-' ? 0 : file);
    }
    catch (error) {
        throw unreadable(file, error as NodeJS.ErrnoException);
    }
}

/** Reads a file of JSON; `-` is standard input. @throws CommandError */
export function readJsonFile(file: string): JsonValue {

    const bytes = readFile(file);
    try {
        return parseJson(bytes);
    }
    catch (error) {
        throw new CommandError(`${file}: ${(error as Error).message}`, EXIT.data);
    }
}

/** Makes errors of arguments errors of usage. */
export function orUsage<Args extends unknown[], T>(work: (...args: Args) => T, ...args: Args): T {

    try {
        return work(...args);
    }
    catch (error) {
        throw new CommandError((error as Error).message, EXIT.usage);
    }
}

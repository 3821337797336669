/**
 * Loads the configuration: defaults ← variables of Cordra's container ← JSON file (`CONFIG_FILE`) ← environment, validated by one schema. All errors are
 * reported together, with the names used in the source, and never with the value of a secret.
 */

import { accessSync, constants, readFileSync } from 'node:fs';
import type Joi from 'joi';
import { parseMysqlUrl } from '../../db/engines/mysql/url.js';
import { isLoopback } from '../util/net/ip-address.js';
import { nearestName } from '../util/text/nearest-name.js';
import { misspeltVariables } from './unknown-variables.js';
import type { MisspeltVariable } from './unknown-variables.js';
import { configSchema } from './schema.js';
import type { Config } from './schema.js';
import { describeConfig, fileVariable } from './settings.js';

export { describeConfig } from './settings.js';
export type { Config } from './schema.js';
export { DEFAULT_DOIP_PORT } from './schema.js';

/** Address and protocols of the listener. */
export type ListenConfig = Config['listen'];

/** Limits and timeouts of HTTP. */
export type HttpConfig = Config['http'];

/** Name of the variable with the path of the configuration file. */
export const CONFIG_FILE = 'CONFIG_FILE';

/** An invalid configuration. The message lists all errors, one per line. */
export class ConfigError extends Error {

    readonly errors: readonly string[];

    constructor(errors: readonly string[]) {

        super(errors.length === 1 ? `configuration: ${errors[0]}` : `configuration:\n${errors.map((error) => `  ${error}`).join('\n')}`);
        this.name = 'ConfigError';
        this.errors = errors;
    }
}

/** A value and where it was found. */
interface Found {
    readonly value: unknown;
    readonly source: string;
}

/** Values from the sources by setting, and the errors so far. */
interface Findings {
    readonly values: Map<string, Found>;
    readonly errors: string[];
}

/**
 * Loads the configuration of the service.
 *
 * @throws ConfigError that lists all errors
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {

    const findings: Findings = { values: new Map(), errors: [] };
    readConfigFile(environment[CONFIG_FILE], findings);
    for (const { name, secret, maybeEmpty, cordraName } of describeConfig()) {
        const value = environment[name];
        if (value !== undefined && (value !== '' || maybeEmpty)) {
            findings.values.set(name, { value, source: 'environment' });
        }

        const path = environment[fileVariable(name)];
        if (secret && path !== undefined && path !== '') {
            readSecretFile(name, path, 'environment', findings);
        }

        const fallback = cordraName === null ? undefined : environment[cordraName];
        if (fallback && !findings.values.has(name)) {
            findings.values.set(name, { value: fallback, source: `${cordraName}, environment` });
        }
    }

    return check(findings);
}

/** Variables that are not settings, but are spelt almost like one. */
export function doubtfulVariables(environment: NodeJS.ProcessEnv = process.env): MisspeltVariable[] {

    return misspeltVariables(environment, [CONFIG_FILE, ...settingNames(), ...describeConfig().flatMap(({ cordraName }) => cordraName ?? [])]);
}

/**
 * Creates a configuration in code, for embedding and tests; ignores the environment.
 *
 * @param settings by the same names: `configure({ PORT: 0, DATA_DIR: '/var/lib/gateway' })`
 * @throws ConfigError that lists all errors
 */
export function configure(settings: Readonly<Record<string, unknown>> = {}): Config {

    const findings: Findings = { values: new Map(), errors: [] };
    const names = new Set(describeConfig().map(({ name }) => name));
    for (const [name, value] of Object.entries(settings)) {
        if (!names.has(name)) {
            findings.errors.push(unknownSetting(name, 'code'));
        }
        else if (value !== undefined && value !== null) {
            findings.values.set(name, { value, source: 'code' });
        }
    }

    return check(findings);
}

function readConfigFile(path: string | undefined, findings: Findings): void {

    if (path === undefined || path === '') {
        return;
    }

    const settings = parseConfigFile(path, findings.errors);
    const byName = new Map(describeConfig().map((setting) => [setting.name, setting]));
    const secretFiles = new Map(describeConfig().filter(({ secret }) => secret).map(({ name }) => [fileVariable(name), name]));
    for (const [name, value] of Object.entries(settings)) {
        const secretName = secretFiles.get(name);
        if (secretName !== undefined && typeof value === 'string') {
            readSecretFile(secretName, value, path, findings);
        }
        else if (byName.get(name)?.secret) {
            findings.errors.push(`${name} (${path}) must not stand in the configuration file, which is copied, backed up and shown to ` +
                `others: set it in the environment, or put it in a file of its own and name that by ${fileVariable(name)}`);
        }
        else if (!byName.has(name)) {
            findings.errors.push(unknownSetting(name, path));
        }
        else if (value !== null) {
            findings.values.set(name, { value, source: path });
        }
    }
}

function parseConfigFile(path: string, errors: string[]): object {

    try {
        const parsed: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
        if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
            return parsed;
        }

        errors.push(`${CONFIG_FILE} ${path} must hold one JSON object`);
    }
    catch (error) {
        // The parser's message quotes the text, which may contain a misplaced secret.
        errors.push(`${CONFIG_FILE} ${path} ${error instanceof SyntaxError ? 'is not valid JSON' : `cannot be read: ${reason(error)}`}`);
    }

    return {};
}

function readSecretFile(name: string, path: string, source: string, { values, errors }: Findings): void {

    const variable = fileVariable(name);
    if (values.get(name)?.source === 'environment') {
        errors.push(`${name} and ${variable} are both set: use one of them`);
        return;
    }

    try {
        values.set(name, { value: readFileSync(path, 'utf8').replace(/\r?\n$/, ''), source: `${variable}, ${source}` });
    }
    catch (error) {
        errors.push(`${variable} (${source}) cannot be read: ${reason(error)}`);
    }
}

function unknownSetting(name: string, source: string): string {

    const nearest = nearestName(name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase(), settingNames());
    return `${name} (${source}) is not a setting${nearest === null ? '' : `; did you mean ${nearest}?`}`;
}

function settingNames(): string[] {

    return describeConfig().flatMap(({ name, secret }) => (secret ? [name, fileVariable(name)] : [name]));
}

/** Settings that belong together: a certificate and its key. */
const CERTIFICATES = [['TLS_CERT', 'TLS_KEY'], ['DOIP_TLS_CERT', 'DOIP_TLS_KEY'], ['HANDLE_SERVER_CERT', 'HANDLE_SERVER_KEY']] as const;

function check({ values, errors }: Findings): Config {

    const raw: Record<string, Record<string, unknown>> = {};
    for (const { name, path: [group, member] } of describeConfig()) {
        const found = values.get(name);
        if (found) {
            (raw[group] ??= {})[member] = found.value;
        }
    }

    for (const [cert, key] of CERTIFICATES) {
        if (values.has(cert) !== values.has(key)) {
            errors.push(`${cert} and ${key} belong together: ${values.has(key) ? cert : key} is not set`);
        }
    }

    const checked: Joi.ValidationResult<Config> = configSchema.validate(raw, { abortEarly: false, errors: { label: false } });
    errors.push(...(checked.error?.details ?? []).map((detail) => describeError(detail, values)), ...unreadableFiles(values),
        ...databaseErrors(values), ...handleServerErrors((name) => values.has(name), values.get('HANDLE_SERVER_URL')?.value));
    if (errors.length > 0 || checked.error) {
        throw new ConfigError(errors);
    }

    const contradictions = contradictionsOf(checked.value);
    if (contradictions.length > 0) {
        throw new ConfigError(contradictions);
    }

    return checked.value;
}

/** Returns errors of valid settings that do not go together. */
function contradictionsOf({ doip, http, listen, workers }: Config): string[] {

    const errors: string[] = [];
    if (doip.plain && !isLoopback(doip.host ?? listen.host)) {
        errors.push(`DOIP_PLAIN is for addresses of this machine such as 127.0.0.1, not for ${doip.host ?? listen.host}: set DOIP_HOST`);
    }

    const shared = { MAX_CONNECTIONS: http.maxConnections, MAX_CONNECTIONS_PER_ADDRESS: http.maxConnectionsPerAddress || Infinity };
    for (const [name, limit] of Object.entries(shared)) {
        if (limit < workers.count) {
            errors.push(`${name} is ${limit}, of which each of ${workers.count} worker processes needs a share: set it to ${workers.count} or more, or lower WORKERS`);
        }
    }

    return errors;
}

function describeError(detail: Joi.ValidationErrorItem, values: ReadonlyMap<string, Found>): string {

    const [group, member] = detail.path;
    const setting = describeConfig().find(({ path }) => path[0] === group && path[1] === member);
    if (!setting) {
        throw new Error(`no setting is known at ${detail.path.join('.')}`);
    }

    const found = values.get(setting.name);
    const got = setting.secret ? '' : `, got ${shortened(JSON.stringify(found?.value))}`;
    return `${setting.name} (${found?.source ?? 'default'}) ${detail.message.trim()}${got}`;
}

/** Part of a message that is long enough to be recognised. */
function shortened(text: string | undefined): string {

    return text === undefined || text.length <= MAX_SHOWN ? String(text) : `${text.slice(0, MAX_SHOWN)}…`;
}

const MAX_SHOWN = 200;

function unreadableFiles(values: ReadonlyMap<string, Found>): string[] {

    const errors: string[] = [];
    for (const { name } of describeConfig().filter(({ file }) => file)) {
        const found = values.get(name);
        if (typeof found?.value === 'string') {
            try {
                accessSync(found.value, constants.R_OK);
            }
            catch (error) {
                errors.push(`${name} (${found.source}) cannot be read: ${reason(error)}`);
            }
        }
    }

    return errors;
}

/** Validates the database URL. The messages never contain the password. */
function databaseErrors(values: ReadonlyMap<string, Found>): string[] {

    const { value, source } = values.get('DATABASE_URL') ?? {};
    if (typeof value !== 'string' || value === '') {
        return [];
    }

    try {
        parseMysqlUrl(value);
        return [];
    }
    catch (error) {
        return [`DATABASE_URL (${source}): ${reason(error)}`];
    }
}

/** Message of a system error: `ENOENT: no such file or directory, open '…'`. */
function reason(error: unknown): string {

    return shortened(error instanceof Error ? error.message : String(error));
}

/** URLs of this machine, to which secrets may be sent without encryption. */
const LOOPBACK = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

const HANDLE_SERVER_SETTINGS = ['IDENTITY', 'SECRET', 'CERT', 'KEY', 'CA'].map((name) => `HANDLE_SERVER_${name}`);

/** Errors in the combination of handle server settings. `has` says whether a setting is given. */
function handleServerErrors(has: (name: string) => boolean, url: unknown): string[] {

    if (typeof url !== 'string' || url === '') {
        return HANDLE_SERVER_SETTINGS.filter(has).map((name) => `${name} is of no use without HANDLE_SERVER_URL`);
    }

    const errors: string[] = [];
    if (has('HANDLE_SERVER_SECRET') === has('HANDLE_SERVER_CERT')) {
        errors.push('HANDLE_SERVER_URL needs either HANDLE_SERVER_SECRET or HANDLE_SERVER_CERT');
    }

    if (has('HANDLE_SERVER_SECRET') && !has('HANDLE_SERVER_IDENTITY')) {
        errors.push('HANDLE_SERVER_SECRET needs HANDLE_SERVER_IDENTITY, whose key it is');
    }

    if (!/^https:/i.test(url) && !LOOPBACK.test(url)) {
        errors.push('HANDLE_SERVER_URL must begin with https://, because secrets go there');
    }

    return errors;
}

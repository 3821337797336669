/**
 * The file of OpenID Connect providers, which `OIDC_PROVIDERS` names: an array with an object for each provider whose tokens the service
 * accepts, and where browsers can log in. It contains no secrets: tokens are verified with the public keys of the provider, and the secret of a
 * client is in a file of its own.
 */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Joi from 'joi';
import { isLoopback, withoutBrackets } from '../util/net/ip-address.js';
import { ConfigError } from './index.js';

/** A provider. */
export interface LoginProvider {
    /** Prefix of the ids of its users: `name/<id>`. */
    readonly name: string;
    /** As in the claim `iss`. */
    readonly issuer: string;
    /** The token must be for one of them (claim `aud`). */
    readonly audience: readonly string[];
    /** Where its public keys are; null for the address that its discovery document names. */
    readonly jwksUri: string | null;
    readonly algorithms: readonly string[];
    /** Claims by name, or by JSON pointer for those inside of others. */
    readonly idClaim: string;
    readonly usernameClaim: string;
    readonly groupsClaim: string;
    /** Ids of groups by the value of the claim. */
    readonly groups: Readonly<Record<string, string>>;
    /** Whether the keyword `authenticated` applies to its users even without a user object. */
    readonly authenticated: boolean;
    /** Name for people. */
    readonly title: string;
    /** How browsers log in; null if they cannot. */
    readonly browser: BrowserLogin | null;
}

/** The service as a client of a provider. */
export interface BrowserLogin {
    readonly clientId: string;
    /** Null for a public client. */
    readonly clientSecret: string | null;
    readonly scope: string;
    /** Lifetime of a login in seconds, after which people log in again. */
    readonly sessionSeconds: number;
}

/** A provider as the file has it. */
interface ProviderEntry extends Omit<LoginProvider, 'browser'>, Omit<BrowserLogin, 'clientId' | 'clientSecret'> {
    readonly clientId: string | null;
    readonly clientSecretFile: string | null;
}

/** Asymmetric ones only: with a symmetric one, every service that verifies tokens could make them. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;

const MAX_PROVIDERS = 32;
const MAX_GROUPS = 1000;
const MAX_BYTES = 255;

const address = Joi.string().max(1000).custom((text: string, helpers) => (isSafe(text) ? text : helpers.error('any.invalid')))
    .messages({ 'any.invalid': '{{#label}} must be an https address; http is for this machine only' });
const claim = Joi.string().max(MAX_BYTES).pattern(/^(?!\/)|^(?:\/(?:[^/~]|~[01])*)+$/)
    .messages({ 'string.pattern.base': '{{#label}} must be the name of a claim, or a JSON pointer' });

const schema = Joi.array().max(MAX_PROVIDERS).unique('name').unique('issuer').items(Joi.object<ProviderEntry>({
    name: Joi.string().pattern(/^[a-z\d][a-z\d.-]{0,62}$/).invalid('admin').required()
        .messages({ 'string.pattern.base': '{{#label}} must be of lower-case letters, digits, dots and hyphens' }),
    issuer: address.required(),
    audience: Joi.array().items(Joi.string().max(1000)).single().min(1).required(),
    jwksUri: address.allow(null).default(null),
    algorithms: Joi.array().items(Joi.valid(...ALGORITHMS)).min(1).default([...ALGORITHMS]),
    idClaim: claim.default('sub'),
    usernameClaim: claim.default('preferred_username'),
    groupsClaim: claim.default('groups'),
    groups: Joi.object().pattern(Joi.string(), Joi.string().max(MAX_BYTES, 'utf8').invalid('admin', 'public', 'authenticated', 'creator', 'self'))
        .max(MAX_GROUPS).default({}),
    authenticated: Joi.boolean().default(true),
    title: Joi.string().max(100).default(Joi.ref('name')),
    clientId: Joi.string().max(1000).allow(null).default(null),
    clientSecretFile: Joi.string().allow(null).default(null).when('clientId', { is: null, then: Joi.valid(null) })
        .messages({ 'any.only': '{{#label}} needs a clientId' }),
    scope: Joi.string().max(1000).pattern(/(?:^| )openid(?: |$)/).default('openid profile')
        .messages({ 'string.pattern.base': '{{#label}} must have the scope openid' }),
    sessionSeconds: Joi.number().integer().min(60).max(31_536_000).default(8 * 3600)
}));

/**
 * Reads the file of providers.
 *
 * @param handlePrefix prefix of the ids of this service, which no provider may have
 * @throws ConfigError that names the file and what is wrong in it
 */
export function readLoginProviders(file: string, handlePrefix: string): readonly LoginProvider[] {

    const checked: Joi.ValidationResult<readonly ProviderEntry[]> = schema.validate(parsed(file), { abortEarly: false });
    if (checked.error) {
        throw new ConfigError(checked.error.details.map(({ message }) => `OIDC_PROVIDERS ${file}: ${message.replace('"value"', 'the file')}`));
    }

    if (checked.value.some(({ name }) => name === handlePrefix)) {
        throw new ConfigError([`OIDC_PROVIDERS ${file}: no provider may have the name ${handlePrefix}, which is the prefix of ids of this service`]);
    }

    return checked.value.map((entry) => providerOf(entry, file));
}

function providerOf({ clientId, clientSecretFile, scope, sessionSeconds, ...provider }: ProviderEntry, file: string): LoginProvider {

    const clientSecret = clientSecretFile === null ? null : readSecret(resolve(dirname(file), clientSecretFile), file);
    return { ...provider, browser: clientId === null ? null : { clientId, clientSecret, scope, sessionSeconds } };
}

function readSecret(path: string, file: string): string {

    let secret: string;
    try {
        secret = readFileSync(path, 'utf8').trim();
    }
    catch (error) {
        throw new ConfigError([`OIDC_PROVIDERS ${file}: clientSecretFile cannot be read: ${(error as Error).message}`]);
    }

    if (secret === '') {
        throw new ConfigError([`OIDC_PROVIDERS ${file}: clientSecretFile ${path} is empty`]);
    }

    return secret;
}

function parsed(file: string): unknown {

    try {
        return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
    }
    catch (error) {
        const reason = error instanceof SyntaxError ? 'is not valid JSON' : `cannot be read: ${(error as Error).message}`;
        throw new ConfigError([`OIDC_PROVIDERS ${file} ${reason}`]);
    }
}

function isSafe(text: string): boolean {

    if (!URL.canParse(text)) {
        return false;
    }

    const { protocol, hostname, username, hash } = new URL(text);
    const isLocal = hostname === 'localhost' || isLoopback(withoutBrackets(hostname));
    return (protocol === 'https:' || protocol === 'http:' && isLocal) && username === '' && hash === '';
}

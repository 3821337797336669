/**
 * The hapi plugin: mounts the interfaces of a gateway on the server of this package or on any other hapi server. Works with hapi's
 * `routes.prefix`. Router settings, CORS and logging belong to the server.
 */

import type { Plugin, Server } from '@hapi/hapi';
import Joi from 'joi';
import type { Gateway } from '../lib/app/gateway.js';
import { doipHttp } from './doip-http/index.js';
import type { TranslatorOptions } from './http/request/translator-options.js';
import { rest } from './rest/index.js';
import { sessions } from './sessions/index.js';
import { pageResponder, ui, type UiOptions } from './ui/index.js';
import { web } from './web/index.js';

export { connectionOf, setConnection, type ClientConnection } from './http/request/primary.js';
export { factsOf } from './http/request/request-facts.js';
export { shapeErrors } from './http/response/errors.js';

/** Names of the interfaces. */
export type TranslatorName = 'rest' | 'doip-http' | 'sessions' | 'web' | 'ui';

/** Options of the plugin. */
export interface PluginOptions extends Omit<TranslatorOptions, 'gateway' | 'hasBrowserSessions'>, UiOptions {
    readonly gateway: Gateway;
    /** Interfaces to mount; by default all but `web` and `ui`, whose pages another server may have itself. With both, the page at `/` is the web UI. */
    readonly translators?: readonly TranslatorName[];
}

declare module '@hapi/hapi' {

    interface PluginProperties {
        'doip-gateway': { readonly gateway: Gateway };
    }
}

const TRANSLATORS: Readonly<Record<TranslatorName, Plugin<TranslatorOptions>>> = {
    rest,
    'doip-http': doipHttp,
    sessions,
    web,
    ui
};

const NAMES = Object.keys(TRANSLATORS) as TranslatorName[];
const DEFAULT_NAMES = NAMES.filter((name) => name !== 'web' && name !== 'ui');

const optionsSchema = Joi.object<PluginOptions>({
    gateway: Joi.object({ perform: Joi.function().required() }).unknown().required(),
    translators: Joi.array().items(Joi.string().valid(...NAMES)).unique(),
    limits: Joi.object().unknown(),
    trustedProxies: Joi.array().items(Joi.string()),
    errorsAreShaped: Joi.boolean(),
    uiPath: Joi.string().pattern(/^(\/[\w.~-]+)+$/),
    extensionKeyword: Joi.string(),
    forward: Joi.function(),
    bases: Joi.array().items(Joi.string().allow('').pattern(/^(\/[\w.~-]+)*$/))
}).required().label('options of the plugin doip-gateway');

/**
 * The plugin.
 *
 * @example
 * await server.register({ plugin, options: { gateway }, routes: { prefix: '/repository' } });
 */
export const plugin: Plugin<PluginOptions> = {
    name: 'doip-gateway',

    async register(server: Server, options: PluginOptions): Promise<void> {

        Joi.assert(options, optionsSchema);
        const { gateway, translators = DEFAULT_NAMES, ...rest } = options;
        server.expose('gateway', gateway);
        const page = translators.includes('ui') ? pageResponder(rest) : null;
        const hasBrowserSessions = translators.includes('web');
        for (const name of translators) {
            await server.register({ plugin: TRANSLATORS[name], options: { gateway, ...rest, hasBrowserSessions, ...page ? { page } : {} } });
        }
    }
};

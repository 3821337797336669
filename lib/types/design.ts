/**
 * The design object as the rest of the service asks for it: flags with their defaults, and the parts of its configuration
 * that several services share. Everything else is in `content`.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';

/** Switches of the design object; each is off unless it is exactly true. */
export const DESIGN_FLAGS = [
    'isReadOnly', 'useLegacySessionsApi', 'useLegacyContentOnlyJavaScriptHooks', 'useLegacySearchPageSizeZeroReturnsAll',
    'useLegacyAttributesAsInputForDoipGet', 'enableVersionEdits', 'includePayloadsInReplicationMessages', 'disableAuthenticationBackOff',
    'allowInsecureAuthentication', 'enableTypeChangeViaUpdate'
] as const;

type Flags = { readonly [flag in typeof DESIGN_FLAGS[number]]: boolean };

/** The design at one moment. */
export interface Design extends Flags {
    /** Content of the design object. */
    readonly content: JsonObject;
    /** Prefix of minted ids, without a slash. */
    readonly prefix: string;
    /** Where this service is reached; undefined when it is not said. */
    readonly baseUri: string | undefined;
    /** Ids that tokens of callers may be meant for. */
    readonly ids: readonly string[];
    /** Key of the administrator as a JWK. */
    readonly adminPublicKey: JsonObject | undefined;
    /** Scripts of the design itself, of the built-in types, and for handle values; undefined where there is none. */
    readonly javascript: string | undefined;
    readonly handleJavascript: string | undefined;
    readonly builtInJavascript: ReadonlyMap<string, string>;
}

/** Reads the content of the design object. What is missing or odd counts as not said. */
export function readDesign(content: JsonObject, defaultPrefix: string): Design {

    const minting = objectAt(content, 'handleMintingConfig');
    const builtIn = Object.entries(objectAt(content, 'builtInTypes') ?? {});
    const flags = Object.fromEntries(DESIGN_FLAGS.map((flag) => [flag, content[flag] === true])) as Flags;
    return {
        ...flags,
        content,
        prefix: prefixIn(minting?.['prefix']) ?? defaultPrefix,
        baseUri: textIn(minting?.['baseUri']),
        ids: Array.isArray(content['ids']) ? content['ids'].filter((id) => typeof id === 'string') : [],
        adminPublicKey: objectAt(content, 'adminPublicKey'),
        javascript: textIn(content['javascript']),
        handleJavascript: textIn(minting?.['javascript']),
        builtInJavascript: new Map(builtIn.flatMap(([type, member]) => {

            const script = isJsonObject(member) ? textIn(member['javascript']) : undefined;
            return script === undefined ? [] : [[type, script] as const];
        }))
    };
}

function objectAt(content: JsonObject, name: string): JsonObject | undefined {

    const member = Object.hasOwn(content, name) ? content[name] : undefined;
    return isJsonObject(member) ? member : undefined;
}

function textIn(value: JsonValue | undefined): string | undefined {

    return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Old configurations write prefixes as handles of naming authorities, or with a slash behind them. */
function prefixIn(value: JsonValue | undefined): string | undefined {

    return textIn(typeof value === 'string' ? value.replace(/^0\.NA\//i, '').replace(/\/$/, '') : undefined);
}

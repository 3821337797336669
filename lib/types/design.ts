/**
 * The design object in typed form: flags with their defaults, and the configuration that several modules share. Everything else
 * is in `content`.
 */

import type { TextLanguage } from '../model/text-language.js';
import { readTextLanguage } from '../model/text-language.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';

/** Boolean members of the design object; only `true` switches one on. */
const DESIGN_FLAGS = [
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
    /** Base URI of this service; undefined if it is not configured. */
    readonly baseUri: string | undefined;
    /** Accepted audiences of tokens. */
    readonly ids: readonly string[];
    /** Public key of the administrator, as a JWK. */
    readonly adminPublicKey: JsonObject | undefined;
    /** Scripts of the design itself, for handle values, and of the built-in types; undefined if there is none. */
    readonly javascript: string | undefined;
    readonly handleJavascript: string | undefined;
    readonly builtInJavascript: ReadonlyMap<string, string>;
    /** Language of texts in objects whose type names none; null for none. */
    readonly searchLanguage: TextLanguage | null;
}

/** Reads the content of the design object. Missing and malformed members count as not set. */
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
        searchLanguage: readTextLanguage(objectAt(content, 'search')?.['language']) ?? null,
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

/** Returns a prefix without `0.NA/` in front and without a slash at the end, as older configurations write it. */
function prefixIn(value: JsonValue | undefined): string | undefined {

    return textIn(typeof value === 'string' ? value.replace(/^0\.NA\//i, '').replace(/\/$/, '') : undefined);
}

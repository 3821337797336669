/**
 * The schema of the configuration: every setting with its name, default, rule and description. The type {@link Config} is derived from it, and
 * the table in docs/settings.md is generated from it. A setting has the same name in the environment and in the file.
 */

import Joi from 'joi';
import { parseS3Url } from '../stores/s3/s3-location.js';
import { parseSearchUrl } from '../stores/search/engine-location.js';
import { parseAddressRanges } from '../util/net/ip-address.js';
import { Lists, Ports } from './value-types.js';

/** Properties of a setting that joi does not store. */
export interface SettingFacts {
    /** Name in the environment and in the file. */
    readonly name: string;
    /** True for a secret: read from the environment or from a file of its own, `<name>_FILE`, and never displayed. */
    readonly secret?: boolean;
    /** True for the path of a file that must be readable. */
    readonly file?: boolean;
    /** True if an empty text is a value of its own; for others it counts as unset. */
    readonly maybeEmpty?: boolean;
    /** Variable of Cordra's container with the same meaning, which applies where the setting itself is not given. */
    readonly cordraName?: string;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** The port that DOIP clients expect. */
export const DEFAULT_DOIP_PORT = 9000;

/** Width of database columns for ids and names. */
const COLUMN_BYTES = 255;

function setting<T>(schema: Joi.AnySchema<T>, facts: SettingFacts, description: string): Joi.AnySchema<T> {

    return schema.description(description).meta(facts);
}

function wholeNumber(name: string, fallback: number, [min, max]: readonly [number, number], description: string): Joi.AnySchema<number> {

    return setting(Joi.number().integer().min(min).max(max).default(fallback), { name }, description);
}

/** A duration in seconds; fractions are mainly for tests. */
function seconds(name: string, fallback: number, max: number, description: string): Joi.AnySchema<number> {

    return setting(Joi.number().min(0.1).max(max).default(fallback), { name }, description);
}

/** A setting that is null by default. */
function optional<T>(schema: Joi.AnySchema<T>, facts: SettingFacts, description: string): Joi.AnySchema<T | null> {

    return setting<T | null>(schema.allow(null).default(null), facts, description);
}

/** A list: an array in the file, comma-separated in the environment, where `none` is an empty one. */
function list(name: string, items: Joi.Schema, fallback: readonly string[], description: string): Joi.AnySchema<readonly string[]> {

    return setting(Lists.list().items(items).default(fallback), { name }, description);
}

const addressRange = Joi.string().custom((text: string, helpers) => (parseAddressRanges(text) ? text : helpers.error('any.invalid')))
    .messages({ 'any.invalid': '{{#label}} must hold IP addresses, ranges such as 10.0.0.0/8, or loopback' });

const origin = Joi.string().custom((text: string, helpers) => {

    const isOrigin = text === '*' || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text);
    return isOrigin ? text : helpers.error('any.invalid');
}).messages({ 'any.invalid': '{{#label}} must hold origins such as https://example.org, or *' });

const webAddress = Joi.string().uri({ scheme: ['http', 'https'] })
    .messages({ 'string.uriCustomScheme': '{{#label}} must be a URL that starts with http:// or https://' });

const s3Url = Joi.string().custom((text: string, helpers) => {

    try {
        parseS3Url(text);
        return text;
    }
    catch (error) {
        return helpers.message({ custom: (error as Error).message });
    }
});

const searchUrl = Joi.string().custom((text: string, helpers) => {

    try {
        parseSearchUrl(text);
        return text;
    }
    catch (error) {
        return helpers.message({ custom: `{{#label}} ${(error as Error).message}` });
    }
});

function matching(pattern: RegExp, words: string): Joi.StringSchema {

    return Joi.string().pattern(pattern).messages({ 'string.pattern.base': `{{#label}} must be ${words}` });
}

const basePath = matching(/^(\/[\w.~-]+)+\/?$/, 'a path such as /api').replace(/\/$/, '');
const handlePrefix = matching(/^[^/.\s\p{Cc}][^/\s\p{Cc}]*$/u, 'a handle prefix such as 20.500.123: no slash, no blank, no leading dot').max(100, 'utf8');
const folder = matching(/\S/, 'the path of a folder').pattern(/^[^\0]*$/);
const host = matching(/^([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?$/, 'a host or host:port');
const region = matching(/^[\w-]{1,64}$/, 'a region such as eu-central-1');
const keyword = matching(/^[A-Za-z_][\w-]*$/, 'a word of letters, digits, _ and -');

/** Limits and timeouts of HTTP. */
const http = {
    maxUrlBytes: wholeNumber('MAX_URL_BYTES', 64 * KIB, [1 * KIB, 8 * MIB], 'Maximum length of the URL of a request; a longer one gets 414.'),
    maxHeaderBytes: wholeNumber('MAX_HEADER_BYTES', 64 * KIB, [1 * KIB, 8 * MIB], 'Maximum size of all headers of a request together; more gets 431.'),
    maxConnections: wholeNumber('MAX_CONNECTIONS', 4096, [1, 1_000_000], 'Maximum number of open connections; further ones are closed at once.'),
    maxConnectionsPerAddress: wholeNumber('MAX_CONNECTIONS_PER_ADDRESS', 0, [0, 1_000_000],
        'Maximum number of open connections from one address (IPv6: one /64 network), except trusted proxies. ' +
            '0 stands for a quarter of MAX_CONNECTIONS, at least 16.'),
    maxStreams: wholeNumber('MAX_STREAMS', 100, [1, 10_000], 'Maximum number of concurrent requests on one HTTP/2 connection.'),
    headersSeconds: seconds('HEADERS_TIMEOUT_SECONDS', 30, 3600, 'Time limit for the headers of a request to arrive; then 408.'),
    stallSeconds: seconds('STALL_TIMEOUT_SECONDS', 60, 86_400,
        'Stall timeout: a request body or a response that makes no progress for this time because of the client is aborted, with 408 ' +
            'where an answer is still possible. A transfer that makes progress may take hours.'),
    keepAliveSeconds: seconds('KEEP_ALIVE_SECONDS', 65, 3600, 'Time for which an idle connection is kept open.'),
    shutdownSeconds: seconds('SHUTDOWN_SECONDS', 10, 3600, 'Graceful shutdown: time for requests in progress to finish after SIGTERM or an interrupt.'),
    drainSeconds: setting(Joi.number().min(0).max(3600).default(0), { name: 'DRAIN_SECONDS' },
        'Time before a graceful shutdown in which requests are still accepted, while /health/ready answers 503 and clients are asked to ' +
            'close their connections: as long as the load balancer takes to notice. 0 suits a single machine.')
};

/** Native DOIP. */
const doip = {
    port: setting<number | null>(Ports.port().default(DEFAULT_DOIP_PORT), { name: 'DOIP_PORT', maybeEmpty: true },
        'TCP port of native DOIP over TLS; 0 selects a free one, empty or off turns it off. ' +
            'If another program has the default port, the service starts without native DOIP.'),
    host: optional(Joi.string().hostname(), { name: 'DOIP_HOST' }, 'Address on which native DOIP listens; unset: HOST.'),
    publicAddress: optional(host, { name: 'DOIP_PUBLIC_ADDRESS' },
        'Address of native DOIP for clients, as a host or host:port, announced in Hello and handle records. Unset: where it listens.'),
    tlsCert: optional(Joi.string(), { name: 'DOIP_TLS_CERT', file: true },
        'File with the certificate chain of native DOIP (PEM); a changed file is used within seconds. ' +
            'Unset: a self-signed one, made at the first start, with the id of the service.'),
    tlsKey: optional(Joi.string(), { name: 'DOIP_TLS_KEY', file: true }, 'File with the private key of DOIP_TLS_CERT (PEM).'),
    plain: setting(Joi.boolean().default(false), { name: 'DOIP_PLAIN' },
        'true: native DOIP without TLS, on an address of this machine only, for tests and tunnels.'),
    idleSeconds: seconds('DOIP_IDLE_SECONDS', 3600, 86_400, 'Time for which a native DOIP connection without requests is kept open.')
};

/** Metrics for Prometheus. */
const metrics = {
    port: setting<number | null>(Ports.port().default(null), { name: 'METRICS_PORT', maybeEmpty: true },
        'TCP port of GET /metrics, for Prometheus, such as 9464; 0 selects a free one. Unset, empty or off: no metrics are collected.'),
    host: setting(Joi.string().hostname().default('127.0.0.1'), { name: 'METRICS_HOST' },
        'Address on which metrics are served, without TLS and without a login: an address of this machine or of a private network.')
};

/** Traces. */
const tracing = {
    spans: setting(Joi.boolean().default(false), { name: 'TRACING' },
        'true: a span of OpenTelemetry for each operation, for the SDK that the process loads by NODE_OPTIONS; see docs/monitoring.md.')
};

/** The web UI. */
const ui = {
    isOn: setting(Joi.boolean().truthy('on').falsy('off').default(true), { name: 'UI' }, 'off: the web UI is not served; / is a page with links.'),
    path: setting(basePath.default('/ui'), { name: 'UI_PATH' }, 'Path of the files of the web UI below BASE_PATH. Its page is at / as well.')
};

/** The audit log. */
const audit = {
    days: wholeNumber('AUDIT_DAYS', 0, [0, 36_500],
        'Number of days for which the audit log keeps every change and every denied request: see docs/audit.md. 0: nothing is recorded.')
};

/** Logins by other services. */
const oidc = {
    providers: optional(Joi.string(), { name: 'OIDC_PROVIDERS', file: true },
        'File with the OpenID Connect providers whose tokens are accepted (JSON): see Logins of an institution in docs/users-and-rights.md.')
};

const limits = {
    jsonBytes: wholeNumber('MAX_JSON_BYTES', 4 * MIB, [1 * KIB, 1 * GIB], 'Maximum size of a JSON body, or of a JSON part of a multipart body; more gets 413.'),
    jsonDepth: wholeNumber('MAX_JSON_DEPTH', 128, [10, 2000], 'Maximum nesting depth of arrays and objects.'),
    jsonValues: wholeNumber('MAX_JSON_VALUES', 20_000, [1000, 100_000_000],
        'Maximum number of values in a JSON body or part, in an item of an upload and in the content of an object; a single JSON object may have ' +
            'a quarter as many properties. More gets 413.'),
    anonymousBytes: wholeNumber('MAX_ANONYMOUS_JSON_BYTES', 1 * MIB, [1 * KIB, 1 * GIB],
        'Maximum size of the JSON or form body of a request without credentials, of every search, and of every form for DOIP; more gets 413. ' +
            'Binary payloads are not counted.'),
    bodyMemoryBytes: wholeNumber('MAX_BODY_MEMORY_BYTES', 64 * MIB, [1 * MIB, 64 * GIB],
        'Memory for JSON and form bodies, input of methods, and objects of batches until stored. One address (IPv6: one /64 network), and all requests without ' +
            'credentials together, may use half of it, the beginnings of native requests half, one address a quarter for them; more gets 429 or 503.'),
    formBytes: wholeNumber('MAX_FORM_BYTES', 4 * MIB, [1 * KIB, 1 * GIB],
        'Maximum size of a form body, or of a form field in a multipart body; more gets 413.'),
    parameters: wholeNumber('MAX_PARAMETERS', 1000, [10, 100_000], 'Maximum number of parameters in the query string and in form fields together.'),
    itemBytes: wholeNumber('MAX_ITEM_BYTES', 8 * MIB, [1 * KIB, 512 * MIB],
        'Maximum size of one object in a batch upload, with its payloads, which also needs room in `MAX_BODY_MEMORY_BYTES`; the upload as a whole has no limit.'),
    contentBytes: wholeNumber('MAX_CONTENT_BYTES', 2 * MIB, [1 * KIB, 1 * GIB],
        'Maximum size of the JSON text of the content of an object, and likewise of its userMetadata.'),
    idBytes: wholeNumber('MAX_ID_BYTES', COLUMN_BYTES, [16, COLUMN_BYTES], 'Maximum length of an object id, in bytes of UTF-8.'),
    nameBytes: wholeNumber('MAX_NAME_BYTES', COLUMN_BYTES, [16, COLUMN_BYTES],
        'Maximum length of the name of a type, of the name, file name or media type of a payload, and of an entry of an ACL, in bytes of UTF-8.'),
    aclEntries: wholeNumber('MAX_ACL_ENTRIES', 1000, [1, 100_000], 'Maximum number of entries in one array of an ACL.'),
    elements: wholeNumber('MAX_PAYLOADS', 1000, [1, 100_000], 'Maximum number of payloads of one object.'),
    elementBytes: wholeNumber('MAX_PAYLOAD_BYTES', 1024 * GIB, [1, Number.MAX_SAFE_INTEGER], 'Maximum size of one payload.'),
    parts: wholeNumber('MAX_PARTS', 2048, [1, 1_000_000], 'Maximum number of parts of one multipart body.'),
    partHeaderBytes: wholeNumber('MAX_PART_HEADER_BYTES', 16 * KIB, [1 * KIB, 1 * MIB], 'Maximum size of the headers of one part.'),
    relatedObjects: wholeNumber('MAX_RELATED_OBJECTS', 1000, [1, 100_000],
        'Maximum number of objects in each direction of the relationships of an object; longer lists are truncated.')
};

/** Quotas of what is stored; 0 for none. */
const quotas = {
    countUsage: setting(Joi.boolean().default(false), { name: 'COUNT_USAGE' },
        'true: count objects and bytes of users and types, for the quotas of the design and GET /usage. Any QUOTA_… implies it. ' +
            'The same on all nodes; the first start with it counts all objects. Commands count where it is counted, also without it.'),
    userObjects: wholeNumber('QUOTA_USER_OBJECTS', 0, [0, Number.MAX_SAFE_INTEGER],
        'Maximum number of objects that a user may have created, versions included; more get 507. 0 for no limit. The design can set others.'),
    userBytes: wholeNumber('QUOTA_USER_BYTES', 0, [0, Number.MAX_SAFE_INTEGER],
        'Maximum size in bytes of the objects that a user has created, with their payloads. 0 for no limit.'),
    typeObjects: wholeNumber('QUOTA_TYPE_OBJECTS', 0, [0, Number.MAX_SAFE_INTEGER], 'Maximum number of objects of a type, versions included. 0 for no limit.'),
    typeBytes: wholeNumber('QUOTA_TYPE_BYTES', 0, [0, Number.MAX_SAFE_INTEGER],
        'Maximum size in bytes of the objects of a type, with their payloads. 0 for no limit.')
};

/** Limits of the rate of requests; 0 for none. */
const rates = {
    seconds: wholeNumber('RATE_LIMIT_SECONDS', 60, [1, 86_400], 'Window of the limits of requests, in seconds.'),
    userRequests: wholeNumber('RATE_LIMIT_USER_REQUESTS', 0, [0, 1_000_000_000],
        'Maximum number of requests of a user, except administrators, in RATE_LIMIT_SECONDS; more get 429. 0 for no limit.'),
    addressRequests: wholeNumber('RATE_LIMIT_ADDRESS_REQUESTS', 0, [0, 1_000_000_000],
        'Maximum number of requests without a valid login from one address (IPv6: one /64 network) in RATE_LIMIT_SECONDS; more get 429. 0 for no limit.'),
    changeCost: wholeNumber('RATE_LIMIT_CHANGE_COST', 1, [1, 1000], 'Number of requests as which a request counts that may change something.'),
    searchCost: wholeNumber('RATE_LIMIT_SEARCH_COST', 1, [1, 1000], 'Number of requests as which a search counts.'),
    bytesSeconds: wholeNumber('RATE_LIMIT_BYTES_SECONDS', 3600, [1, 86_400], 'Window of the limits of bytes, in seconds.'),
    userBytes: wholeNumber('RATE_LIMIT_USER_BYTES', 0, [0, 1024 * GIB],
        'Maximum number of bytes that a user, except administrators, may send to be stored in RATE_LIMIT_BYTES_SECONDS; more get 429. 0 for no limit.'),
    addressBytes: wholeNumber('RATE_LIMIT_ADDRESS_BYTES', 0, [0, 1024 * GIB],
        'The same for requests without a valid login from one address (IPv6: one /64 network). 0 for no limit.')
};

const search = {
    memoryBytes: wholeNumber('SEARCH_MEMORY_BYTES', 384 * MIB, [16 * MIB, 64 * GIB],
        'Cache for pages of the search index and for data computed from them. Pages that do not fit are read from the database repeatedly.'),
    timeoutSeconds: seconds('SEARCH_TIMEOUT_SECONDS', 10, 3600,
        'A search that takes longer is cancelled. A search for all results, or for more than 500, waits up to the same time while four others of ' +
            'its caller are in progress.'),
    url: optional(searchUrl, { name: 'SEARCH_URL', secret: true },
        'OpenSearch for searches, https://user:password@host:9200/prefix, with a prefix of the names of indexes; unset: the embedded search engine.'),
    shards: wholeNumber('SEARCH_SHARDS', 1, [1, 1024], 'Shards of the index in OpenSearch. A change builds a new index beside the present one.'),
    maxLagSeconds: setting(Joi.number().min(5).max(86_400).default(300), { name: 'SEARCH_MAX_LAG_SECONDS' },
        'While OpenSearch lacks changes that are older, searches are refused. 5 at least: it gets changes a moment after they were made.')
};

const scripts = {
    workers: wholeNumber('SCRIPT_WORKERS', 3, [1, 64],
        'Worker threads for type code, started on demand. One caller may use all but one of them. ' +
            'Beyond them, as many more and one are reserved for callers without a running script, one for each.'),
    timeoutSeconds: seconds('SCRIPT_TIMEOUT_SECONDS', 10, 3600, 'Time limit for one call of a hook or method, from its start. It waits for a worker for as long at most.'),
    memoryBytes: wholeNumber('SCRIPT_MEMORY_BYTES', 64 * MIB, [8 * MIB, 512 * MIB], 'Memory limit of a script.'),
    stackBytes: wholeNumber('SCRIPT_STACK_BYTES', 512 * KIB, [64 * KIB, 1 * MIB], 'Stack limit of a script; 512 KiB are enough for some 2500 nested calls.')
};

const handleIdentity = matching(/^\d{1,10}:[^/\s]+\/\S+$/, 'an index and a handle, such as 300:20.500.123/ADMIN');

/** Targets of handles, and the server where they are registered. */
const handles = {
    uiBaseUri: optional(webAddress, { name: 'UI_BASE_URI' },
        'Base address of a user interface to which handles redirect browsers; #objects/ and the id are appended. Unset: a page of the service.'),
    adminIdentity: optional(handleIdentity, { name: 'HANDLE_ADMIN_IDENTITY', cordraName: 'CORDRA_HDL_ADMIN' },
        'Identity that administers new handles, such as 300:20.500.123/ADMIN. Seeds handleMintingConfig of the design object at the first start.'),
    serverUrl: optional(webAddress, { name: 'HANDLE_SERVER_URL' },
        'Handle server at which handles are registered, such as https://hdl.example:8000; https is required except on this machine. Unset: none.'),
    serverIdentity: optional(handleIdentity, { name: 'HANDLE_SERVER_IDENTITY' },
        'Identity of the service at the handle server, an index and a handle such as 300:20.500.123/ADMIN. Administers handles where the design ' +
            'names no administrator.'),
    serverSecret: optional(Joi.string().max(1024), { name: 'HANDLE_SERVER_SECRET', secret: true }, 'Secret key of this identity.'),
    serverCert: optional(Joi.string(), { name: 'HANDLE_SERVER_CERT', file: true },
        'File with a client certificate (PEM) for the handle server, instead of a secret key.'),
    serverKey: optional(Joi.string(), { name: 'HANDLE_SERVER_KEY', file: true }, 'File with the private key of HANDLE_SERVER_CERT (PEM).'),
    serverCa: optional(Joi.string(), { name: 'HANDLE_SERVER_CA', file: true },
        'File with the CA certificates (PEM) of the handle server, where its certificate is not issued by a public CA.'),
    serverSeconds: seconds('HANDLE_SERVER_TIMEOUT_SECONDS', 30, 3600, 'Time limit for an answer of the handle server.')
};

const texts = {
    characters: wholeNumber('MAX_TEXT_CHARACTERS', 400_000, [0, 50_000_000],
        'Maximum number of characters of text that are indexed of one payload; the rest is not read. 0 for none.'),
    objectCharacters: wholeNumber('MAX_OBJECT_TEXT_CHARACTERS', 1_600_000, [0, 50_000_000],
        'Maximum number of characters of text that are indexed of all payloads of one object together.'),
    bytes: wholeNumber('MAX_TEXT_SOURCE_BYTES', 64 * MIB, [1 * KIB, 2 * GIB],
        'PDF, Word and JSON payloads above this size are not searched. Other text is read from its beginning, whatever its size.'),
    seconds: seconds('TEXT_SECONDS', 30, 3600, 'Time limit for extracting the text of one payload.'),
    memory: wholeNumber('MAX_TEXT_MEMORY_BYTES', 256 * MIB, [32 * MIB, 8 * GIB], 'Memory limit for extracting the text of one payload.')
};

/** All settings by group. */
const settings = {
    workers: {
        count: wholeNumber('WORKERS', 0, [0, 64],
            'Worker processes that accept the connections of HTTP and answer reads of objects and payloads, and searches, themselves: see docs/workers.md. ' +
                '0: the service is one process.')
    },
    listen: {
        port: wholeNumber('PORT', 8080, [0, 65_535], 'TCP port; 0 selects a free one.'),
        host: setting(Joi.string().hostname().default('127.0.0.1'), { name: 'HOST' }, 'Address to listen on; 0.0.0.0 or :: for all interfaces.'),
        basePath: setting(basePath.allow('').default(''), { name: 'BASE_PATH' }, 'Path prefix of all routes, such as /api.'),
        tlsCert: optional(Joi.string(), { name: 'TLS_CERT', file: true },
            'File with the certificate chain (PEM). With TLS_KEY the service speaks HTTPS, HTTP/2 and HTTP/1.1.'),
        tlsKey: optional(Joi.string(), { name: 'TLS_KEY', file: true }, 'File with the private key of TLS_CERT (PEM).'),
        trustedProxies: list('TRUSTED_PROXIES', addressRange, [],
            'Addresses or ranges of reverse proxies (or loopback) whose X-Forwarded-For and X-Forwarded-Proto are trusted.'),
        corsOrigins: list('CORS_ORIGINS', origin, ['*'], 'CORS: origins whose pages may read answers; * for any, none to disable CORS.'),
        corsMethods: list('CORS_METHODS', Joi.string().valid('GET', 'HEAD', 'POST', 'PUT', 'DELETE'), ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
            'CORS: methods that pages of these origins may use.')
    },
    http,
    doip,
    ui,
    metrics,
    tracing,
    log: {
        level: setting(Joi.string().valid('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'), { name: 'LOG_LEVEL' },
            'Minimum level of log lines: trace, debug, info, warn, error, fatal or silent.')
    },
    storage: {
        dataDir: setting(folder.default('./data'), { name: 'DATA_DIR' }, 'Folder for the embedded database, the lock and repoInit.json.'),
        minFreeBytes: optional(Joi.number().integer().min(0).max(1024 * GIB), { name: 'MIN_FREE_BYTES' },
            'Reserve on the disk of DATA_DIR, in bytes: a request that would need it is answered with 503. ' +
                'Unset: 256 MiB, or 5 % of a smaller disk; 0 for none.'),
        databaseUrl: optional(Joi.string(), { name: 'DATABASE_URL', secret: true },
            'MySQL, MariaDB, Galera or TiDB database, mysql://user:password@host:port/database; unset: SQLite in DATA_DIR.'),
        payloadStore: optional(s3Url, { name: 'PAYLOAD_STORE' },
            'Bucket for the bytes of payloads, s3://bucket/prefix, with the credentials that the AWS SDK finds; unset: the database.'),
        payloadStoreEndpoint: optional(webAddress, { name: 'PAYLOAD_STORE_ENDPOINT' },
            'URL of the S3 server, such as https://s3.example:9000; unset: AWS, or AWS_ENDPOINT_URL.'),
        payloadStoreRegion: optional(region, { name: 'PAYLOAD_STORE_REGION' },
            'Region of the bucket; unset: that of AWS_REGION, or us-east-1 with an endpoint.'),
        payloadStorePathStyle: optional(Joi.boolean(), { name: 'PAYLOAD_STORE_PATH_STYLE' },
            'true: URLs with the bucket in their path instead of the host. Unset: true with PAYLOAD_STORE_ENDPOINT.'),
        payloadStoreWrites: setting(Joi.boolean().default(true), { name: 'PAYLOAD_STORE_WRITES' },
            'false: new payloads go to the database, those in the store can be read and moved back.'),
        payloadStoreAdopt: optional(matching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, 'the token that a refused start names'), { name: 'PAYLOAD_STORE_ADOPT' },
            'Takes the bucket over from another copy of the database: the token that a refused start names. It has no effect a second time.'),
        payloadStoreMemory: wholeNumber('PAYLOAD_STORE_MEMORY_BYTES', 256 * MIB, [8 * MIB, 64 * GIB],
            'Memory for payloads on their way to the store, all together. Each has parts of 8 MiB; one that gets no memory within 30 seconds is answered with 503.'),
        payloadStoreSeconds: seconds('PAYLOAD_STORE_TIMEOUT_SECONDS', 10, 600, 'Time without progress after which an attempt to reach the store has failed.')
    },
    service: {
        handlePrefix: setting(handlePrefix.default('test'), { name: 'HANDLE_PREFIX', cordraName: 'CORDRA_PREFIX' },
            'Prefix of minted ids and of the id of the service. Seeds the design object at the first start.'),
        baseUri: optional(webAddress, { name: 'BASE_URI', cordraName: 'CORDRA_BASE_URI' },
            'Address under which clients reach the service. Seeds the design object at the first start.'),
        extensionKeyword: setting(keyword.default('cordra'), { name: 'EXTENSION_KEYWORD' },
            'Name of the extension keyword in the JSON schemas of types: that of the first start, ever after, as a start with another one ends with code 78.')
    },
    handles,
    admin: {
        password: optional(Joi.string().max(1024), { name: 'ADMIN_PASSWORD', secret: true, cordraName: 'CORDRA_ADMIN_PASS' },
            'Password of admin at the first start, at least 8 characters; unset: a random one is generated and printed once.')
    },
    tokens: {
        lifetimeSeconds: seconds('TOKEN_LIFETIME_SECONDS', 1800, 31_536_000, 'Idle lifetime of an access token: it expires this long after its last use.'),
        perUser: wholeNumber('MAX_TOKENS_PER_USER', 1000, [1, 1_000_000],
            'Maximum number of access tokens and sessions of one user; beyond it the least recently used ones end.'),
        keysPerUser: wholeNumber('MAX_API_KEYS_PER_USER', 100, [0, 10_000], 'Maximum number of API keys of one user; 0: no new ones can be made.'),
        keyDays: wholeNumber('MAX_API_KEY_DAYS', 0, [0, 36_500],
            'Maximum lifetime of an API key in days; with one, keys without an expiry cannot be made. 0 for none.')
    },
    audit,
    oidc,
    limits,
    quotas,
    rates,
    search,
    scripts,
    texts
};

type Value<S> = S extends Joi.AnySchema<infer T> ? T : never;

/** The whole configuration, which `loadConfig` and `configure` create. Components receive only the part that they need. */
export type Config = { readonly [G in keyof typeof settings]: { readonly [M in keyof (typeof settings)[G]]: Value<(typeof settings)[G][M]> } };

/** Schema of the configuration, with the rule and description of every setting. */
export const configSchema = Joi.object<Config>(Object.fromEntries(
    Object.entries<Joi.PartialSchemaMap>(settings).map(([group, members]) => [group, Joi.object(members).default()])
));

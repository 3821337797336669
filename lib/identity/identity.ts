/**
 * Composition of the identity modules.
 */

import type { Logger } from 'pino';
import type { CommitResult, Database, Unit } from '../../db/database.js';
import type { JsonObject } from '../util/json-types.js';
import type { JobKind } from '../jobs/job-kind.js';
import type { LoginProvider } from '../config/login-providers.js';
import type { EpochHistory } from '../stores/objects/epoch-history.js';
import { AccountStore } from '../stores/account-store.js';
import { ApiKeyStore } from '../stores/api-key-store.js';
import { CredentialStore } from '../stores/credential-store.js';
import { GroupStore } from '../stores/group-store.js';
import { LoginStore } from '../stores/login-attempt-store.js';
import { PrincipalStore } from '../stores/principal-store.js';
import { SettingStore } from '../stores/setting-store.js';
import { TokenStore } from '../stores/token-store.js';
import { AccountWriter } from './sync/account-sync.js';
import { HeldKeys } from './keys/held-keys.js';
import { ApiKeys } from './keys/api-keys.js';
import { AdminAccount } from './passwords/admin-account.js';
import type { HookSource } from './authentication/hook-authenticator.js';
import { HookAuthenticator } from './authentication/hook-authenticator.js';
import { Authenticator } from './authentication/authenticator.js';
import { EdgeLimiter } from './throttling/edge-limiter.js';
import { LoginThrottle } from './throttling/login-throttle.js';
import { PrincipalResolver } from './authentication/principal-resolver.js';
import { SessionInfo } from './access/session-info.js';
import { identitySettings } from './accounts/identity-settings.js';
import { Directory } from './accounts/user-directory.js';
import { sweepLogins } from './cleanup-job.js';
import { JwtBearerAuthenticator } from './authentication/jwt-bearer.js';
import { LocalAccess } from './authentication/local-access.js';
import { PasswordAuthenticator } from './authentication/password-authenticator.js';
import type { PasswordOptions } from './passwords/password-hasher.js';
import { PasswordHasher } from './passwords/password-hasher.js';
import type { CacheUsage } from '../util/cache/cache-usage.js';
import type { Policy } from './access/access-policy.js';
import { Principals } from './accounts/principals.js';
import { BrowserLogins } from './authentication/browser-logins.js';
import { SealedMessages } from './secrets/sealed-messages.js';
import { LoginProviders } from './authentication/login-providers.js';
import { SecretTransfer } from './secrets/secret-transfer.js';
import { SecretExtractor } from './secrets/secret-extractor.js';
import { ServiceCertificate } from './secrets/service-certificate.js';
import { ServiceKey } from './secrets/service-key.js';
import { Sessions } from './authentication/cookie-sessions.js';
import { OAuthTokenService } from './authentication/oauth-token-service.js';
import { AccessTokens } from './tokens/access-tokens.js';

/** Setting with the key of {@link Identity.serviceKey}. */
const SIGNING_KEY = 'identity.service-key';

/** Dependencies of the identity modules. */
export interface IdentityOptions {
    readonly db: Database;
    /** Shared by all that read epochs. */
    readonly history?: EpochHistory | undefined;
    readonly policy: Policy;
    readonly log: Logger;
    /** Returns the current content of the design object. */
    readonly design: () => JsonObject;
    /** Resolves when the design is that of the moment of the call, or later; default at once. */
    readonly renewDesign?: () => Promise<unknown>;
    /** Idle time in ms after which a token expires. */
    readonly tokenTimeout: number;
    /** Maximum number of tokens and sessions per user; default 1000. */
    readonly tokensPerUser?: number | undefined;
    /** Maximum number of API keys per user, default 100, and their maximum lifetime in days, default 0 for none. */
    readonly apiKeys?: { readonly perUser: number; readonly maxDays: number } | undefined;
    /** OpenID Connect providers, whose tokens are accepted, and where browsers log in; default none. */
    readonly loginProviders?: readonly LoginProvider[] | undefined;
    /** Address of the service, with a slash at its end, where the design names none. */
    readonly ownBase?: () => string | undefined;
    /** True if other processes of this machine use the tokens as well. */
    readonly isShared?: boolean | undefined;
    /** True in a process that cannot write, and leaves requests that have to do so to another one. */
    readonly isReadOnly?: boolean | undefined;
    /** Stores the uses of tokens and keys; default the database. */
    readonly uses?: Pick<Database, 'commit'> | undefined;
    readonly passwords?: PasswordOptions;
    /** Rate limiter at the edge of the service; default a new one. */
    readonly edge?: EdgeLimiter;
    /** The clock, for tests. */
    readonly now?: () => number;
}

/** Load of the identity modules. */
export interface IdentityLoad {
    /** Hashing of passwords. */
    readonly passwords: { readonly busy: number; readonly waiting: number };
    readonly caches: Readonly<Record<'tokens' | 'principals', CacheUsage>>;
}

/** The composed identity modules. */
export interface Identity {
    readonly authenticator: Authenticator;
    readonly browserLogins: BrowserLogins;
    readonly edge: EdgeLimiter;
    readonly local: LocalAccess;
    readonly tokens: OAuthTokenService;
    readonly accessTokens: Pick<AccessTokens, 'count' | 'ofUser' | 'revokeAllOfUser' | 'revokeAllSteps' | 'revokeOfUser'>;
    readonly keys: ApiKeys;
    readonly sessions: Sessions;
    readonly records: SessionInfo;
    readonly admin: AdminAccount;
    readonly logins: PasswordAuthenticator;
    readonly directory: Directory;
    readonly secureValues: SecretExtractor;
    /** With which scripts sign. */
    readonly serviceKey: ServiceKey;
    /** Of native DOIP. */
    readonly certificate: ServiceCertificate;
    readonly secretTransfer: SecretTransfer;
    readonly heldKeys: HeldKeys;
    readonly accountWriter: AccountWriter;
    readonly principals: Principals;
    /** Installs the authenticate hook. `find` is called with every login and must be cheap. */
    useAuthenticateHook(find: HookSource): void;
    /** Address to which login providers send browsers back. */
    readonly callbackAddress: (provider: string) => string;
    /** Stores uses of tokens and keys by another process of this machine. */
    storeUses(unit: Unit): Promise<CommitResult>;
    /** Current load; reads counters only. */
    readonly load: () => IdentityLoad;
    /** Periodic work for the job runner. */
    readonly housekeeping: JobKind;
    /** Starts background work. */
    start(): void;
    /** Stops background work and writes pending data. */
    close(): Promise<void>;
}

const TOKENS_PER_USER = 1000;
const API_KEYS = { perUser: 100, maxDays: 0 };

/** Composes the modules around a database. Nothing runs before `start()`. */
export function composeIdentity(options: IdentityOptions): Identity {

    const { db, log, policy, edge = new EdgeLimiter(), loginProviders = [], isReadOnly, now = () => db.now() } = options;
    const design = () => identitySettings(options.design());
    const settings = new SettingStore(db);
    const stores = {
        db, accounts: new AccountStore(db, options.history), credentials: new CredentialStore(db), groups: new GroupStore(db),
        logins: new LoginStore(db), tokens: new TokenStore(db), keys: new ApiKeyStore(db)
    };
    const principals = new Principals({ ...stores, principals: new PrincipalStore(db), policy, log, isReadOnly }, loginProviders.map(({ name }) => `${name}/`));
    const passwords = new PasswordHasher(options.passwords);
    const secretTransfer = new SecretTransfer(stores);
    const throttle = new LoginThrottle(stores.logins, { enabled: () => !design().disableAuthenticationBackOff, now });
    const directory = new Directory(stores);
    const callers = new PrincipalResolver({ directory, principals }, now);
    const uses = options.uses ? { uses: options.uses } : {};
    const tokens = new AccessTokens(stores, {
        timeout: options.tokenTimeout, perUser: options.tokensPerUser ?? TOKENS_PER_USER, isShared: options.isShared === true, now, log, ...uses
    });
    const keys = new ApiKeys({ ...stores, directory }, { ...options.apiKeys ?? API_KEYS, now, log, ...uses });
    const logins = new PasswordAuthenticator({ directory, credentials: stores.credentials, passwords, throttle }, now);
    const renewDesign = options.renewDesign ?? (() => Promise.resolve());
    const assertions = new JwtBearerAuthenticator({ directory, logins: stores.logins, renewDesign }, design, now);
    const hook = new HookAuthenticator(throttle, now);
    const local = new LocalAccess();
    const providers = new LoginProviders(loginProviders, { now, log });
    const messages = new SealedMessages({ db, settings }, now);
    const browserLogins = new BrowserLogins(loginProviders, { providers, logins: stores.logins, messages, log, now });
    const authenticator = new Authenticator({ assertions, callers, hook, keys, local, logins, providers, tokens }, design);
    return {
        authenticator, browserLogins, edge, keys, local, logins, directory,
        tokens: new OAuthTokenService({ assertions, authenticator, browserLogins, callers, credentials: stores.credentials, directory, edge, keys, tokens }),
        accessTokens: tokens,
        sessions: new Sessions({ authenticator, callers, tokens }, design),
        records: new SessionInfo(policy),
        admin: new AdminAccount({ db, credentials: stores.credentials, passwords, tokens }),
        secureValues: new SecretExtractor(stores.credentials, passwords, secretTransfer),
        serviceKey: new ServiceKey(db, settings, SIGNING_KEY),
        certificate: new ServiceCertificate(db, settings),
        secretTransfer,
        heldKeys: new HeldKeys(stores),
        accountWriter: new AccountWriter({ ...stores, principals }),
        principals,
        callbackAddress: (provider) => `${(design().baseUri ?? options.ownBase?.() ?? '').replace(/\/$/, '')}/auth/callback/${provider}`,
        load: () => ({ passwords: passwords.usage, caches: { tokens: tokens.cacheUsage, principals: directory.cacheUsage } }),
        storeUses: (unit) => db.commit(unit),
        useAuthenticateHook: (find) => hook.use(find),
        housekeeping: sweepLogins({ tokens, keys, logins: stores.logins }, now),
        start: () => {

            // The hook is in the design, which is not read before.
            edge.use((login) => !hook.isPresent && logins.isRejected(login));
            tokens.start();
            keys.start();
        },
        close: async () => {

            edge.use(null);
            throttle.close();
            passwords.close();
            await Promise.all([tokens.close(), keys.close()]);
        }
    };
}

/**
 * The identity services on a real database, with hashing at a cost that tests can afford and a clock that they can turn.
 */

import { pino } from 'pino';
import type { Database } from '../../db/database.js';
import type { Transport } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import { readAclDefaults } from '../../lib/types/access-rules.js';
import { AccountWriter } from '../../lib/identity/sync/account-sync.js';
import type { IdentityChange } from '../../lib/identity/sync/account-sync.js';
import type { AuthenticateHook } from '../../lib/identity/authentication/hook-authenticator.js';
import type { AuthenticationRequest } from '../../lib/identity/authentication/authenticator.js';
import type { Caller } from '../../lib/model/caller.js';
import { SERVICE } from '../../lib/model/caller.js';
import type { AccountAnnotations } from '../../lib/model/account-annotations.js';
import type { Identity } from '../../lib/identity/identity.js';
import { composeIdentity } from '../../lib/identity/identity.js';
import type { ScryptCost } from '../../lib/identity/passwords/password-hash.js';
import { PasswordHasher } from '../../lib/identity/passwords/password-hasher.js';
import { Principals } from '../../lib/identity/accounts/principals.js';
import { Policy } from '../../lib/identity/access/access-policy.js';
import { SecretExtractor } from '../../lib/identity/secrets/secret-extractor.js';
import { SecretTransfer } from '../../lib/identity/secrets/secret-transfer.js';
import { AccountStore } from '../../lib/stores/account-store.js';
import { EpochHistory } from '../../lib/stores/objects/epoch-history.js';
import { ApiKeyStore } from '../../lib/stores/api-key-store.js';
import { CredentialStore } from '../../lib/stores/credential-store.js';
import { GroupStore } from '../../lib/stores/group-store.js';
import { LoginStore } from '../../lib/stores/login-attempt-store.js';
import type { Epochs } from '../../lib/stores/objects/object-store.js';
import { PrincipalStore } from '../../lib/stores/principal-store.js';
import { TokenStore } from '../../lib/stores/token-store.js';
import { QUICK } from './gateway.js';


/** What a node may be told. */
export interface NodeOptions {
    readonly design?: JsonObject;
    /** Returns the design instead, as this node knows it, and brings it up to date. */
    readonly changingDesign?: { readonly current: () => JsonObject; readonly renew: () => Promise<unknown> };
    readonly now?: () => number;
    readonly hook?: AuthenticateHook;
    readonly tokenTimeout?: number;
    readonly tokensPerUser?: number;
    readonly apiKeys?: { readonly perUser: number; readonly maxDays: number };
    /** The node leaves what has to be written to others. */
    readonly isReadOnly?: boolean;
    /** What hashing costs; next to nothing unless told otherwise. */
    readonly cost?: ScryptCost;
}

/** A call from the same process. */
export const INTERNAL: Transport = { protocol: 'internal', secure: true, remoteAddress: '' };

/** Stores and services that write identity, for one database. */
export class IdentityKit {

    readonly db: Database;
    /** Of all nodes. */
    readonly history = new EpochHistory();
    readonly accounts: AccountStore;
    readonly credentials: CredentialStore;
    readonly groups: GroupStore;
    readonly logins: LoginStore;
    readonly tokenStore: TokenStore;
    readonly passwords = new PasswordHasher({ cost: QUICK, parallel: 2 });
    readonly principals: Principals;
    readonly principalStore: PrincipalStore;
    readonly writer: AccountWriter;
    readonly secure: SecretExtractor;

    constructor(db: Database) {

        this.db = db;
        this.accounts = new AccountStore(db, this.history);
        this.credentials = new CredentialStore(db);
        this.groups = new GroupStore(db);
        this.logins = new LoginStore(db);
        this.tokenStore = new TokenStore(db);
        const parts = { accounts: this.accounts, credentials: this.credentials, groups: this.groups, tokens: this.tokenStore, keys: new ApiKeyStore(db) };
        const policy = { isNamedInRules: () => false };
        this.principalStore = new PrincipalStore(db);
        this.principals = new Principals({ db, accounts: this.accounts, principals: this.principalStore, policy, log: pino({ level: 'silent' }) });
        this.writer = new AccountWriter({ ...parts, principals: this.principals });
        this.secure = new SecretExtractor(this.credentials, this.passwords, new SecretTransfer(parts));
    }

    /** The epoch of identity, as it is read together with an object. */
    async epoch(): Promise<number> {

        return (await this.accounts.epochs()).identity;
    }

    /** Writes what belongs to a change of an object; resolves to the tag that refused it, or null. */
    async change(change: Omit<IdentityChange, 'caller'> & Partial<IdentityChange>): Promise<string | null> {

        const result = await this.db.commit({ steps: await this.writer.steps({ caller: SERVICE, ...change }) });
        return result.ok ? null : result.failed;
    }

    /** Creates a user, with a password unless told otherwise. */
    async addUser(id: string, facts: UserFacts = {}): Promise<string | null> {

        const roles = userRoles({ password: 'secret', ...facts });
        const { steps } = await this.secure.extract({ id, isNew: true, content: userContent({ password: 'secret', ...facts }), roles, source: 'test' });
        const result = await this.db.commit({ steps: [...steps, ...await this.writer.steps({ id, isNew: true, roles, caller: SERVICE })] });
        return result.ok ? null : result.failed;
    }

    /** Changes a user; the password only when one is given. */
    async updateUser(id: string, facts: UserFacts): Promise<string | null> {

        const roles = userRoles(facts);
        const { steps } = await this.secure.extract({ id, isNew: false, content: userContent(facts), roles, source: 'test' });
        const result = await this.db.commit({ steps: [...steps, ...await this.writer.steps({ id, isNew: false, roles, caller: SERVICE })] });
        return result.ok ? null : result.failed;
    }

    /** Creates or changes a group. */
    async setGroup(id: string, members: readonly string[], isNew = true): Promise<void> {

        await this.change({ id, isNew, roles: { members, secure: [] } });
    }

    /** All identity services, as one node has them; a second call makes a second node. Close it in the end. */
    node(options: NodeOptions = {}): Identity {

        const { design = {}, changingDesign, now, hook, tokenTimeout = 30 * 60_000, tokensPerUser, apiKeys, isReadOnly, cost = QUICK } = options;
        const system = readAclDefaults({ defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: ['authenticated'] });
        const identity = composeIdentity({
            db: this.db, history: this.history, log: pino({ level: 'silent' }), tokenTimeout, tokensPerUser, apiKeys, isReadOnly,
            policy: new Policy(() => ({ system, entryOf: () => undefined, typeNames: () => ['Note'], entryNames: () => ['Note'] })),
            design: changingDesign?.current ?? (() => design),
            ...changingDesign ? { renewDesign: changingDesign.renew } : {},
            passwords: { cost },
            ...now ? { now } : {}
        });
        identity.useAuthenticateHook(() => hook ?? null);
        return identity;
    }

    /** The epochs of this moment. */
    epochs(): Promise<Epochs> {

        return this.accounts.epochs();
    }

    /** Who a node takes credentials for, at this moment. */
    async authenticate(node: Identity, authentication: JsonObject, more: Partial<AuthenticationRequest> = {}): Promise<Caller> {

        return node.authenticator.authenticate({ authentication, clientId: null, transport: INTERNAL, ...more }, undefined, await this.epochs());
    }

    /** Deletes an object. */
    async remove(id: string): Promise<void> {

        await this.change({ id, isNew: false, roles: null });
    }
}

/** What tests say of a user. */
export interface UserFacts {
    readonly username?: string;
    readonly password?: string;
    readonly active?: boolean;
    readonly mustChange?: boolean;
    readonly publicKey?: object;
}

/** What validation would find in the content of a user. */
export function userRoles(facts: UserFacts): AccountAnnotations {

    const content = userContent(facts);
    const marked = (pointer: string) => ({ pointer: `/${pointer}`, value: content[pointer]! });
    return {
        ...facts.username === undefined ? {} : { username: marked('username') },
        ...facts.password === undefined ? {} : { password: marked('password') },
        ...facts.active === undefined ? {} : { accountActive: marked('active') },
        ...facts.mustChange === undefined ? {} : { requirePasswordChange: marked('mustChange') },
        ...facts.publicKey === undefined ? {} : { publicKey: marked('publicKey') },
        secure: []
    };
}

function userContent(facts: UserFacts): Record<string, never> {

    return { ...facts } as Record<string, never>;
}

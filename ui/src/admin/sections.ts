/** The sections of the administration, each loaded when it is first shown. */

import type { ComponentType } from 'preact';
import { lazy } from '../components/lazy.js';
import type { ScreenProps } from '../shell/app.js';
import type { IconName } from '../components/icon.js';

/** A section. Its texts are those of its id. */
export interface Section {
    readonly id: SectionId;
    readonly group: 'people' | 'repository' | 'operation' | 'programs';
    readonly about: AboutId;
    readonly icon: IconName;
    /** True for sections that every user has. */
    readonly isForAll?: boolean;
    readonly Screen: ComponentType<ScreenProps>;
}

type SectionId = 'users' | 'groups' | 'keys' | 'account' | 'design' | 'rights' | 'handles' | 'index' | 'transfer' | 'status' | 'audit' | 'api';

type AboutId = `about${Capitalize<SectionId>}`;

export const SECTIONS: readonly Section[] = [
    { id: 'users', group: 'people', about: 'aboutUsers', icon: 'user', Screen: lazy(async () => (await import('./people/users.js')).Users) },
    { id: 'groups', group: 'people', about: 'aboutGroups', icon: 'users', Screen: lazy(async () => (await import('./people/groups.js')).Groups) },
    { id: 'keys', group: 'people', about: 'aboutKeys', icon: 'lock', Screen: lazy(async () => (await import('./account/all-keys.js')).AllKeys) },
    { id: 'account', group: 'people', about: 'aboutAccount', icon: 'user', isForAll: true, Screen: lazy(async () => (await import('./account/account.js')).Account) },
    { id: 'design', group: 'repository', about: 'aboutDesign', icon: 'edit', Screen: lazy(async () => (await import('./repository/design.js')).DesignSection) },
    { id: 'rights', group: 'repository', about: 'aboutRights', icon: 'lock', Screen: lazy(async () => (await import('./repository/rights.js')).Rights) },
    { id: 'handles', group: 'repository', about: 'aboutHandles', icon: 'link', Screen: lazy(async () => (await import('./repository/handles.js')).Handles) },
    { id: 'transfer', group: 'repository', about: 'aboutTransfer', icon: 'upload', Screen: lazy(async () => (await import('./operation/transfer.js')).Transfer) },
    { id: 'status', group: 'operation', about: 'aboutStatus', icon: 'info', Screen: lazy(async () => (await import('./operation/status.js')).Status) },
    { id: 'index', group: 'operation', about: 'aboutIndex', icon: 'search', Screen: lazy(async () => (await import('./operation/indexing.js')).Indexing) },
    { id: 'audit', group: 'operation', about: 'aboutAudit', icon: 'history', Screen: lazy(async () => (await import('./operation/audit.js')).Audit) },
    { id: 'api', group: 'programs', about: 'aboutApi', icon: 'list', isForAll: true, Screen: lazy(async () => (await import('./api/api.js')).Api) }
];

/** Other names of sections. */
const ALIASES: Readonly<Record<string, SectionId>> = { jobs: 'status', storage: 'status', import: 'transfer', export: 'transfer', tokens: 'account' };

/** Returns a section by its name in the address. */
export function findSection(name: string): Section | undefined {

    const id = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
    return SECTIONS.find((section) => section.id === id);
}

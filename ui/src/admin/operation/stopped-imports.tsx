/**
 * Imports in batches that were stopped. They can go on, also after another section was shown: what was stored may have no ids by which to find it
 * again.
 */

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../components/confirm.js';
import { person } from '../../api/session.js';
import type { ImportProgress } from './import-file.js';
import { t } from './texts.js';

/** An import that was stopped, or is running. */
export interface Stopped {
    readonly file: File;
    readonly progress: ImportProgress;
    /** Whose it is: `person`. */
    readonly of: number;
}

const stopped = signal<readonly Stopped[]>([]);

/** Those of the person who uses the page. */
export function stoppedImports(): readonly Stopped[] {

    return stopped.value.filter(({ of }) => of === person.value);
}

/** The import of a file, which may have been chosen anew. */
export function findStopped(file: File): Stopped | null {

    return stoppedImports().find((each) => isSameFile(each.file, file)) ?? null;
}

/** Keeps how far the import of a file has come. */
export function keepStopped(file: File, progress: ImportProgress): void {

    stopped.value = [...stopped.value.filter((each) => each.of !== person.value || !isSameFile(each.file, file)), { file, progress, of: person.value }];
}

/** Forgets the import of a file, which is complete, or will not go on. */
export function forgetStopped(file: File): void {

    stopped.value = stopped.value.filter((each) => each.of !== person.value || !isSameFile(each.file, file));
}

/** True if an import may have stored something. */
export function hasStored(progress: ImportProgress | null): boolean {

    return progress !== null && (progress.answered > 0 || progress.lostSince !== null);
}

function isSameFile(one: File, other: File): boolean {

    return (['name', 'size', 'lastModified'] as const).every((each) => one[each] === other[each]);
}

interface StoppedProps {
    readonly imports: readonly Stopped[];
    /** True while another import is running. */
    readonly isBusy: boolean;
    /** True for the one whose file is chosen. */
    readonly isShown: (each: Stopped) => boolean;
    readonly onChoose: (file: File) => void;
    readonly onDiscard: (each: Stopped) => void;
}

/** The list, to go on with one of them or to discard it. */
export function StoppedImports({ imports, isBusy, isShown, onChoose, onDiscard }: StoppedProps): JSX.Element | null {

    const [asked, ask] = useState<Stopped | null>(null);
    if (imports.length === 0) {
        return null;
    }

    return (
        <section class="stack">
            <h3>{t('stoppedImports')}</h3>
            <ul class="member-list">
                {imports.map((each) => {

                    const { file: { name, lastModified }, progress } = each;
                    return (
                        <li key={`${lastModified} ${name}`}>
                            <span class="grow"><strong dir="auto">{name}</strong> <small>{t(progress.lostSince === null ? 'stored' : 'storedAtLeast', { count: progress.state.stored })}</small></span>
                            <span class="row">
                                {!isShown(each) && <button type="button" class="small" disabled={isBusy} onClick={() => onChoose(each.file)}>{t('goOnWith', { name })}</button>}
                                <button type="button" class="small" onClick={() => (hasStored(progress) ? ask(each) : onDiscard(each))}>{t('discardImport', { name })}</button>
                            </span>
                        </li>
                    );
                })}
            </ul>
            {asked && (
                <Confirm title={t('discardTitle', { name: asked.file.name })} action={t('discardAction')} isDangerous onConfirm={() => onDiscard(asked)} onClose={() => ask(null)}>
                    <p>{t('discardText')}</p>
                </Confirm>
            )}
        </section>
    );
}

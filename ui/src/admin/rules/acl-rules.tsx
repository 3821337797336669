/** Access rules: who may read, change and create objects, as lists of users, groups and words. */

import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Suggestion } from '../../components/combobox.js';
import { UserName } from '../../components/object-link.js';
import { Icon } from '../../components/icon.js';
import { useLongList } from '../../components/use-long-list.js';
import { defineTexts } from '../../i18n/index.js';
import { isJsonMap, type Json, type JsonMap } from '../../json/exact-number.js';
import { withMember, withoutMember } from '../../json/pointer.js';
import { labelOf } from '../../state/labels.js';
import { PersonPicker } from '../people/person-picker.js';

const t = defineTexts({
    en: {
        defaultAclRead: 'Read', defaultAclWrite: 'Change', aclCreate: 'Create', defaultAclPayloadRead: 'Read files', aclSearch: 'Find by searching', aclModules: 'Provide code modules',
        hintRead: 'Objects without rights of their own.', hintCreate: 'New objects.', hintSearch: 'In addition to the right to read.', hintModules: 'Modules run with the rights of code.', asReaders: 'as “Read”',
        own: 'Restrict …', inherit: 'As “Read”', add: 'Add a user, a group or a word', remove: 'Remove {name}', nobody: 'only admin',
        public: 'everybody', authenticated: 'every user with an account', creator: 'who created the object', self: 'the user whose object it is', writers: 'who may change the object',
        methods: 'Methods have rules as well; they are kept, and can be changed as JSON.'
    },
    de: {
        defaultAclRead: 'Lesen', defaultAclWrite: 'Ändern', aclCreate: 'Anlegen', defaultAclPayloadRead: 'Dateien lesen', aclSearch: 'Durch Suchen finden', aclModules: 'Code-Module bereitstellen',
        hintRead: 'Objekte ohne eigene Rechte.', hintCreate: 'Neue Objekte.', hintSearch: 'Zusätzlich zum Recht zu lesen.', hintModules: 'Module laufen mit den Rechten von Code.', asReaders: 'wie „Lesen“',
        own: 'Einschränken …', inherit: 'Wie „Lesen“', add: 'Benutzer, Gruppe oder Wort hinzufügen', remove: '{name} entfernen', nobody: 'nur admin',
        public: 'alle', authenticated: 'jeder Benutzer mit einem Konto', creator: 'wer das Objekt angelegt hat', self: 'der Benutzer, dessen Objekt es ist', writers: 'wer das Objekt ändern darf',
        methods: 'Auch Methoden haben Regeln; sie bleiben erhalten und können als JSON geändert werden.'
    },
    fr: {
        defaultAclRead: 'Lire', defaultAclWrite: 'Modifier', aclCreate: 'Créer', defaultAclPayloadRead: 'Lire les fichiers', aclSearch: 'Trouver par la recherche', aclModules: 'Fournir des modules de code',
        hintRead: 'Les objets sans droits propres.', hintCreate: 'De nouveaux objets.', hintSearch: 'En plus du droit de lire.', hintModules: 'Les modules ont les droits du code.', asReaders: 'comme « Lire »',
        own: 'Restreindre …', inherit: 'Comme « Lire »', add: 'Ajouter un utilisateur, un groupe ou un mot', remove: 'Retirer {name}', nobody: 'admin seulement',
        public: 'tout le monde', authenticated: 'tout utilisateur avec un compte', creator: 'le créateur de l’objet', self: 'l’utilisateur dont c’est l’objet', writers: 'qui peut modifier l’objet',
        methods: 'Les méthodes ont aussi des règles ; elles sont conservées et se modifient en JSON.'
    }
});

type Member = 'defaultAclRead' | 'defaultAclWrite' | 'aclCreate' | 'defaultAclPayloadRead' | 'aclSearch' | 'aclModules';

interface Rule {
    readonly member: Member;
    readonly hint: 'hintRead' | 'hintCreate' | 'hintSearch' | 'hintModules';
    /** Without the list, readers have the right; otherwise admin alone. */
    readonly isOptional: boolean;
    readonly words: readonly Word[];
}

const WORDS = ['public', 'authenticated', 'creator', 'self', 'writers'] as const;

type Word = typeof WORDS[number];

const OBJECT_WORDS = ['public', 'authenticated', 'creator', 'self'] as const;

const RULES: readonly Rule[] = [
    { member: 'defaultAclRead', hint: 'hintRead', isOptional: false, words: OBJECT_WORDS },
    { member: 'defaultAclWrite', hint: 'hintRead', isOptional: false, words: OBJECT_WORDS },
    { member: 'aclCreate', hint: 'hintCreate', isOptional: false, words: ['public', 'authenticated'] },
    { member: 'defaultAclPayloadRead', hint: 'hintRead', isOptional: true, words: OBJECT_WORDS },
    { member: 'aclSearch', hint: 'hintSearch', isOptional: true, words: WORDS },
    { member: 'aclModules', hint: 'hintModules', isOptional: false, words: ['authenticated'] }
];

/** The lists of the rules. What they do not show, such as rules for methods, stays as it is. */
export function AclRules({ rules, isReadOnly = false, onChange }: {
    readonly rules: JsonMap; readonly isReadOnly?: boolean; readonly onChange: (rules: JsonMap) => void
}): JSX.Element {

    return (
        <div class="acl-rules">
            {RULES.map((rule) => <RuleRow key={rule.member} rule={rule} value={rules[rule.member]} isReadOnly={isReadOnly} onChange={(value) => {

                const next = value === null ? withoutMember(rules, rule.member) : withMember(rules, rule.member, value);
                onChange(isJsonMap(next) ? next : {});
            }} />)}
            {rules['aclMethods'] !== undefined && <p class="muted">{t('methods')}</p>}
        </div>
    );
}

function RuleRow({ rule: { member, hint, isOptional, words }, value, isReadOnly, onChange }: {
    readonly rule: Rule; readonly value: Json | undefined; readonly isReadOnly: boolean; readonly onChange: (value: readonly string[] | null) => void;
}): JSX.Element {

    const entries = (Array.isArray(value) ? value as readonly Json[] : []).filter((each): each is string => typeof each === 'string');
    const isInherited = isOptional && value === undefined;
    const { shown, filter, more } = useLongList(entries);
    const id = useId();
    const suggestions: readonly Suggestion[] = words.map((word) => ({ id: word, label: word, hint: t(word) }));
    return (
        <div class="acl-rule" role="group" aria-labelledby={id}>
            <div><strong id={id}>{t(member)}</strong><small>{t(hint)}</small></div>
            <div class="stack">
                {isInherited ? <span class="muted">{t('asReaders')}</span> : entries.length === 0 && <span class="muted">{t('nobody')}</span>}
                {filter}
                {shown.length > 0 && (
                    <ul class="names">
                        {shown.map((entry) => (
                            <li key={entry} class="name-chip">
                                <EntryName entry={entry} />
                                {!isReadOnly && <button type="button" class="quiet" aria-label={t('remove', { name: labelOf(entry).value?.label ?? entry })} onClick={() => onChange(entries.filter((each) => each !== entry))}><Icon name="close" /></button>}
                            </li>
                        ))}
                    </ul>
                )}
                {more}
                {!isReadOnly && (isInherited ?
                    <div><button type="button" class="small" aria-label={`${t('own')} ${t(member)}`} onClick={() => onChange([])}>{t('own')}</button></div> : (
                        <div class="acl-add">
                            <PersonPicker label={t('add')} without={entries} words={suggestions} onChoose={(entry) => onChange([...entries, entry])} />
                            {isOptional && <button type="button" class="small" onClick={() => onChange(null)}>{t('inherit')}</button>}
                        </div>
                    ))}
            </div>
        </div>
    );
}

function EntryName({ entry }: { readonly entry: string }): JSX.Element {

    const word = WORDS.find((each) => each === entry);
    return word === undefined ? <UserName id={entry} /> : <span title={t(word)}>{word} <small>· {t(word)}</small></span>;
}

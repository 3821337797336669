/** The suggestions of the search box, from the types of the service. */

import { defineTexts } from '../i18n/index.js';
import { route } from '../router.js';
import { allFields } from './context.js';
import { readState, typeOf } from './state.js';
import { suggest, type Suggestion, type Syntax } from './suggest.js';

const t = defineTexts({
    en: {
        type: 'type of the object', createdBy: 'who created it', modifiedBy: 'who changed it', objcreated: 'when it was created', objmodified: 'when it was changed', id: 'id of the object',
        phrase: 'these words in this order', must: 'this word is required', not: 'this word is excluded', prefix: 'words that begin with …', fuzzy: 'similar words', range: 'from … to …', field: 'in a property', group: 'one of these', any: 'with or without a value'
    },
    de: {
        type: 'Typ des Objekts', createdBy: 'wer es angelegt hat', modifiedBy: 'wer es geändert hat', objcreated: 'wann es angelegt wurde', objmodified: 'wann es geändert wurde', id: 'Id des Objekts',
        phrase: 'diese Wörter in dieser Folge', must: 'dieses Wort muss vorkommen', not: 'dieses Wort darf nicht vorkommen', prefix: 'Wörter, die so beginnen', fuzzy: 'ähnliche Wörter', range: 'von … bis …', field: 'in einer Eigenschaft', group: 'eines davon', any: 'mit irgendeinem Wert'
    },
    fr: {
        type: 'type de l’objet', createdBy: 'qui l’a créé', modifiedBy: 'qui l’a modifié', objcreated: 'quand il a été créé', objmodified: 'quand il a été modifié', id: 'identifiant de l’objet',
        phrase: 'ces mots dans cet ordre', must: 'ce mot est exigé', not: 'ce mot est exclu', prefix: 'mots commençant par …', fuzzy: 'mots semblables', range: 'de … à …', field: 'dans une propriété', group: 'l’un d’eux', any: 'avec une valeur'
    }
});

/** Suggestions for a text with a caret. */
export function suggestionsFor(text: string, caret: number, isAsked: boolean): readonly Suggestion[] {

    const special = (['type', 'createdBy', 'modifiedBy', 'objcreated', 'objmodified', 'id'] as const).map((name) => [name, t(name)] as const);
    const syntax: readonly Syntax[] = [
        { label: '/…', detail: t('field'), insert: '/|' }, { label: '"…"', detail: t('phrase'), insert: '"|"' }, { label: '+', detail: t('must'), insert: '+|' },
        { label: '-', detail: t('not'), insert: '-|' }, { label: '…*', detail: t('prefix'), insert: '|*' }, { label: '…~', detail: t('fuzzy'), insert: '|~' },
        { label: '(… OR …)', detail: t('group'), insert: '(| OR )' }, { label: '[… TO …]', detail: t('range'), insert: '[| TO ]' }
    ];
    const { screen, params } = route.value;
    const state = readState(screen === 'search' ? params : new URLSearchParams());
    return suggest(text, caret, { fields: allFields(typeOf({ query: text, filters: state.filters })), special, syntax, isAsked });
}

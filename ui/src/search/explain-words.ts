/** A query in plain words. */

import { defineTexts } from '../i18n/index.js';
import type { PatternPart, SyntaxBody, SyntaxClauses } from './query-tree.js';

const t = defineTexts({
    en: {
        all: 'all objects', anywhere: 'anywhere in the object or in the text of its files', in: 'in {field}', word: 'the word “{text}”', like: 'a word like {text}', similar: 'a word similar to “{text}”',
        phrase: 'the words “{text}” in this order', near: 'the words of “{text}” near each other', hasValue: 'any value', from: 'from {low}', to: 'up to {high}', above: 'above {low}', below: 'below {high}',
        must: 'with', not: 'without', should: 'or with', prefer: 'first those with', group: 'at least one of these', and: 'all of these', boost: '(counts {boost} times)', nothing: 'an empty word', of: 'One of these is enough', required: 'All of this must be true'
    },
    de: {
        all: 'alle Objekte', anywhere: 'irgendwo im Objekt oder im Text seiner Dateien', in: 'in {field}', word: 'das Wort „{text}“', like: 'ein Wort wie {text}', similar: 'ein Wort ähnlich „{text}“',
        phrase: 'die Wörter „{text}“ in dieser Folge', near: 'die Wörter von „{text}“ nahe beieinander', hasValue: 'irgendein Wert', from: 'ab {low}', to: 'bis {high}', above: 'über {low}', below: 'unter {high}',
        must: 'mit', not: 'ohne', should: 'oder mit', prefer: 'zuerst die mit', group: 'wenigstens eines davon', and: 'alles davon', boost: '(zählt {boost}-fach)', nothing: 'ein leeres Wort', of: 'Eines davon genügt', required: 'All das muss zutreffen'
    },
    fr: {
        all: 'tous les objets', anywhere: 'n’importe où dans l’objet ou dans le texte de ses fichiers', in: 'dans {field}', word: 'le mot « {text} »', like: 'un mot comme {text}', similar: 'un mot semblable à « {text} »',
        phrase: 'les mots « {text} » dans cet ordre', near: 'les mots de « {text} » proches les uns des autres', hasValue: 'une valeur quelconque', from: 'à partir de {low}', to: 'jusqu’à {high}', above: 'au-dessus de {low}', below: 'en dessous de {high}',
        must: 'avec', not: 'sans', should: 'ou avec', prefer: 'd’abord ceux avec', group: 'au moins l’un de ceux-ci', and: 'tout cela', boost: '(compte {boost} fois)', nothing: 'un mot vide', of: 'L’un de ceux-ci suffit', required: 'Tout cela doit être vrai'
    }
});

/** A line of an explanation, with those of its group. */
export interface Explanation {
    readonly text: string;
    readonly parts: readonly Explanation[];
}

/** Parts of a group that are explained. */
const MAX_PARTS = 50;

/** Explains the syntax tree of a query. `label` returns what people call a field. */
export function explain(tree: SyntaxClauses, label: (field: string) => string): Explanation {

    const { text, parts } = explainClauses(tree, null, label, { choice: 'of', all: 'required' });
    return { text: parts.length === 1 ? parts[0]?.text ?? text : text, parts: parts.length === 1 ? parts[0]?.parts ?? [] : parts };
}

/** How a clause counts: AND makes those beside it required. */
function roleOf({ clauses }: SyntaxClauses, index: number): 'must' | 'not' | 'should' {

    const clause = clauses[index];
    return clause?.modifier ?? (clause?.conjunction === 'and' || clauses[index + 1]?.conjunction === 'and' ? 'must' : 'should');
}

function explainClauses(tree: SyntaxClauses, field: string | null, label: (field: string) => string, names: Record<'choice' | 'all', Parameters<typeof t>[0]>): Explanation {

    const roles = tree.clauses.map((clause, index) => roleOf(tree, index));
    const isRequired = roles.includes('must');
    const isSingle = tree.clauses.length === 1 && roles[0] !== 'not';
    const parts = tree.clauses.slice(0, MAX_PARTS).map(({ body }, index): Explanation => {

        const role = roles[index] ?? 'should';
        const inner = explainBody(body, field, label);
        const choice = isRequired ? 'prefer' : roles.indexOf('should') === index ? 'must' : 'should';
        const sign = isSingle ? null : role === 'should' ? choice : role;
        return { text: sign === null ? inner.text : `${t(sign)} ${inner.text}`, parts: inner.parts };
    });
    const hasChoice = !isRequired && roles.filter((role) => role === 'should').length > 1;
    return { text: t(hasChoice ? names.choice : names.all), parts };
}

function explainBody(body: SyntaxBody, outer: string | null, label: (field: string) => string): Explanation {

    const field = body.field ?? outer;
    const boost = body.boost === null ? '' : ` ${t('boost', { boost: body.boost })}`;
    if (body.kind === 'group') {
        const inner = explainClauses(body.inner, field, label, { choice: 'group', all: 'and' });
        const shown = inner.parts.length === 1 && inner.parts[0] ? inner.parts[0] : inner;
        return { text: shown.text + boost, parts: shown.parts };
    }

    if (body.kind === 'word' && isAll(body.pattern) && (field === '*' || field === null)) {
        return { text: t('all'), parts: [] };
    }

    const place = field === null || field === '*' ? t('anywhere') : t('in', { field: label(field) });
    return { text: `${valueText(body)} ${place}${boost}`, parts: [] };
}

function isAll(pattern: readonly PatternPart[]): boolean {

    return pattern.length === 1 && pattern[0] !== undefined && 'wildcard' in pattern[0] && pattern[0].wildcard === 'many';
}

function valueText(body: Exclude<SyntaxBody, { readonly kind: 'group' }>): string {

    switch (body.kind) {
        case 'range': {
            const low = body.low === null ? [] : [t(body.includesLow ? 'from' : 'above', { low: body.low })];
            const high = body.high === null ? [] : [t(body.includesHigh ? 'to' : 'below', { high: body.high })];
            return [...low, ...high].join(' ') || t('hasValue');
        }

        case 'phrase': {
            return t(body.slop === null ? 'phrase' : 'near', { text: body.text });
        }

        case 'word': {
            const text = body.pattern.map((part) => ('text' in part ? part.text : part.wildcard === 'many' ? '*' : '?')).join('');
            const hasWildcard = body.pattern.some((part) => 'wildcard' in part);
            return isAll(body.pattern) ? t('hasValue') : text === '' ? t('nothing') : t(body.fuzzy ? 'similar' : hasWildcard ? 'like' : 'word', { text });
        }
    }
}

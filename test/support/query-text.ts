/** Shows the meaning of a query in one line, for tables of tests. */

import type { Query } from '../../lib/search/query/query.js';
import type { FieldTarget } from '../../lib/search/analysis/field-names.js';

/** `+must -not should`, groups in parentheses, `name:` before a field that is not the default. */
export function describeQuery(query: Query): string {

    switch (query.kind) {
        case 'all':
            return '*:*' + boosted(query.boost);
        case 'none':
            return 'nothing';
        case 'term':
            return field(query.target) + query.term + boosted(query.boost);
        case 'phrase':
            return `${field(query.target)}"${query.words.map(({ term }) => term).join(' ')}"~${query.slop}${boosted(query.boost)}`;
        case 'pattern':
            return field(query.target) + query.pattern.map((part) => {

                return 'text' in part ? part.text.replaceAll(/[*?]/g, '\\$&') : { one: '?', many: '*' }[part.wildcard];
            }).join('') + boosted(query.boost);
        case 'fuzzy':
            return `${field(query.target)}${query.term}~${query.edits}${boosted(query.boost)}`;
        case 'range':
            return `${field(query.target)}${query.includesLow ? '[' : '{'}${query.low ?? '*'} TO ${query.high ?? '*'}` +
                `${query.includesHigh ? ']' : '}'}${boosted(query.boost)}`;
        case 'exists':
            return `${field(query.target)}exists`;
        case 'value':
            return `${query.column}=${JSON.stringify(query.value)}`;
        case 'boolean':
            return [
                ...query.must.map((clause) => '+' + inner(clause)),
                ...query.should.map((clause) => inner(clause)),
                ...query.not.map((clause) => '-' + inner(clause))
            ].join(' ');
    }
}

function inner(query: Query): string {

    return query.kind === 'boolean' ? `(${describeQuery(query)})` : describeQuery(query);
}

function field(target: FieldTarget): string {

    switch (target.kind) {
        case 'any':
            return '';
        case 'text':
            return `${target.fields[0] ?? ''}:`;
        case 'keyword':
            return `${target.field}:`;
        case 'number':
        case 'value':
            return `${target.column}:`;
        case 'constant':
            return `always ${target.word}:`;
    }
}

function boosted(boost: number): string {

    return boost === 1 ? '' : `^${boost}`;
}

/** Escaping for HTML and XML, in text and quoted attributes. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&apos;' };
const CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));

/** Escapes text. Characters that documents must not contain, such as most control characters, are removed. */
export function escapeMarkup(text: string): string {

    return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
        .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Unescapes the five entities of XML; entities of other document types stay unchanged. */
export function unescapeMarkup(markup: string): string {

    return markup.replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => CHARACTERS[entity] ?? entity);
}

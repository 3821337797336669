/**
 * Text inside of HTML and XML: between tags, and in attributes that stand in quotes.
 */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&apos;' };
const CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));

/** Text that markup takes for text. What no document may hold, such as most control characters, is left out. */
export function escapeMarkup(text: string): string {

    return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
        .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The text of markup; entities that only some documents know stay as they are. */
export function unescapeMarkup(markup: string): string {

    return markup.replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => CHARACTERS[entity] ?? entity);
}

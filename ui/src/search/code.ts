/** A search as code. */

import type { SearchBody } from './search-types.js';

/** Languages of the code. */
export const CODE_LANGUAGES = ['curl', 'JavaScript', 'Python'] as const;

export type CodeLanguage = typeof CODE_LANGUAGES[number];

/** A text for a shell. */
function shellQuoted(text: string): string {

    return `'${text.replaceAll('\'', '\'\\\'\'')}'`;
}

/** JSON as Python reads it. There are no `null`, `true` or `false` in searches but for `ids`, which has a line of its own. */
function pythonText(value: unknown): string {

    return JSON.stringify(value, null, 4).replace(/^( *"ids": )true(?=,?$)/gm, '$1True').replace(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Code that sends a search. */
export function codeFor(language: CodeLanguage, url: string, body: SearchBody): string {

    switch (language) {
        case 'curl': {
            const parameters = Object.entries(body).filter(([, value]) => value !== undefined)
                .map(([name, value]) => `  --data-urlencode ${shellQuoted(`${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)}`);
            return [`curl -G ${shellQuoted(`${url}/search`)}`, ...parameters].join(' \\\n');
        }

        case 'JavaScript': {
            return `const response = await fetch(${JSON.stringify(`${url}/search`)}, {\n    method: 'POST',\n    headers: { 'Content-Type': 'application/json' },\n` +
                `    body: JSON.stringify(${JSON.stringify(body, null, 4).replaceAll('\n', '\n    ')})\n});\nconst { size, results } = await response.json();\n`;
        }

        case 'Python': {
            return `import requests\n\nresponse = requests.post(${JSON.stringify(`${url}/search`)}, json=${pythonText(body)})\nresponse.raise_for_status()\nresults = response.json()["results"]\n`;
        }
    }
}

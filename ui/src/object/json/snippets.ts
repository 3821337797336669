/** Code that reads an object, to copy. */

/** Code in one language. */
export interface Snippet {
    readonly name: string;
    readonly code: string;
}

/** A text in single quotes of a shell. */
function shellText(text: string): string {

    return `'${text.replaceAll('\'', '\'\\\'\'')}'`;
}

/** A text in double quotes, as JavaScript and Python read it. */
function codeText(text: string): string {

    return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Code for curl, JavaScript and Python. `path` is encoded, below `base`, the URL of the service. */
export function snippetsFor(id: string, { base, path }: { readonly base: string; readonly path: string }): readonly Snippet[] {

    return [
        { name: 'curl', code: `curl -u USERNAME ${shellText(`${base}${path}?full`)}` },
        {
            name: 'JavaScript',
            code: `import { RepositoryClient } from 'doip-gateway/client/web';\n\nconst repository = new RepositoryClient(${codeText(base)}, { username: 'USERNAME', password: 'PASSWORD' });\n` +
                `const object = await repository.get(${codeText(id)});\nconsole.log(object.content);\n`
        },
        {
            name: 'Python',
            code: `import requests\n\nresponse = requests.get(${codeText(`${base}${path}`)}, params={"full": "true"}, auth=("USERNAME", "PASSWORD"))\n` +
                'response.raise_for_status()\nprint(response.json()["content"])\n'
        }
    ];
}

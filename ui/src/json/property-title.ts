/** Names of properties as people read them. */

/** A name of a property as a title: `firstName` is “First name”. */
export function titleOfName(name: string): string {

    const words = name.replaceAll('_', ' ').replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ').trim();
    if (words === '' || words === name && !/^\p{Ll}/u.test(name)) {
        return name;
    }

    return `${words.slice(0, 1).toUpperCase()}${words.slice(1).replace(/\p{Lu}(?=\p{Ll})/gu, (letter) => letter.toLowerCase())}`;
}

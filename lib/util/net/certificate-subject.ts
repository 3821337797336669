/** Identities in the subjects of certificates, as DOIP software writes them. */

/** Attributes of the subject that may hold the identity, the first that is there counts. */
const IDENTITY_ATTRIBUTES = ['UID', 'CN', 'O'] as const;

/** What separates attributes: each has a line, those of one relative name share it. A plus sign in a value is escaped. */
const SEPARATOR = /\n| \+ /;

/**
 * Returns the identity in a subject, without the index of a handle value, such as `300:` in `300:20.500.123/ann`. Node has no subject
 * for a certificate whose subject is empty or malformed.
 */
export function identityOf(subject: string | undefined): string | null {

    const attributes = subject?.split(SEPARATOR) ?? [];
    for (const name of IDENTITY_ATTRIBUTES) {
        const attribute = attributes.find((each) => each.startsWith(`${name}=`));
        const value = attribute === undefined ? '' : unescaped(attribute.slice(name.length + 1)).replace(/^\d+:/, '');
        if (value !== '') {
            return value;
        }
    }

    return null;
}

/** Undoes the escapes of RFC 2253: a backslash before a character, or before the two hexadecimal digits of an octet. */
function unescaped(text: string): string {

    return text.replace(/((?:\\[0-9A-Fa-f]{2})+)|\\(.)/g, (_, octets: string | undefined, character: string) =>
        (octets === undefined ? character : Buffer.from(octets.replaceAll('\\', ''), 'hex').toString('utf8')));
}

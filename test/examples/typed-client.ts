/** A program that calls an operation of one's own with its types. What stands below the first line is shown in docs/extending.md. */

import { connect } from '../../lib/client/index.js';
import type { Operations } from './operations.js';

export async function countLongWords(url: string, id: string): Promise<number> {

    const client = connect<Operations>(url);
    try {
        const { words } = await client.call(id, '20.500.123/Op.WordCount', { attributes: { minLength: 6 } });
        return words;
    }
    finally {
        client.close();
    }
}

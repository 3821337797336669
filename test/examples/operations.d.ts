export interface Operations {
    /** count the words in the text properties of an object */
    '20.500.123/Op.WordCount': {
        attributes?: {
            minLength?: number;
        };
        input?: undefined;
        result: {
            words: number;
        };
    };
}

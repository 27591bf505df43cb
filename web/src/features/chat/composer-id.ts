/** The message field's id: where the skip link leads. */
export const COMPOSER_ID = "composer";

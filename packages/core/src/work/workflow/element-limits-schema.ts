/** Maximum number of elements in a request. */
export const MAX_ELEMENTS = 5

/** Maximum lengths of an element's fields, in UTF-16 code units. */
export const ELEMENT_LIMITS = { tag: 60, selector: 400, text: 300, html: 2000, page: 300 } as const

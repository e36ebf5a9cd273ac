/**
 * The bytes of content, and the number of rows, after which an answer is sent: the next operation of another owner waits for
 * some milliseconds of reading at most.
 */
export const PAGE_BYTES = 131_072
export const PAGE_ROWS = 256

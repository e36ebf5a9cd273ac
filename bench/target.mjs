// The one shape of everything in targets/.

/**
 * @typedef {object} Row one figure
 * @property {string} figure
 * @property {number} value
 * @property {string} unit
 * @property {number} [atLeast] if it is a target
 * @property {number} [atMost]
 * @property {string} [note] what the figure is made of
 *
 * @typedef {object} Target
 * @property {string} name as in `--only NAME`
 * @property {string} measures what is compared with what
 * @property {string} target what is to be reached
 * @property {(measure: import('./measure.mjs').Measure) => Promise<Row[] | { readonly skipped: string }>} run throws if a
 *   contender's result is wrong; why it is skipped, if it needs what is not there
 */

/** In the order in which they run. Each is `targets/NAME.mjs`, and runs in a process of its own. */
export const TARGETS = [
  'official',
  'limit',
  'sse',
  'pull',
  'linear',
  'streams',
  'cold',
  'embed',
  'size',
  'checker',
  'worst',
  'prompt',
  'pause',
  'conversation',
  'serve',
  'stores',
  'workers',
  'fair',
  'tools',
  'schemas',
  'chat',
  'vllm',
  'page',
  'rivals',
]

/** @param {Row} row @returns {boolean | undefined} undefined if there is no target */
export function isMet({ value, atLeast, atMost }) {
  if (atLeast !== undefined) return value >= atLeast
  if (atMost !== undefined) return value <= atMost
  return undefined
}

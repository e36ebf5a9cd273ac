import { check } from '../../../shared/errors.js'
import { plainCopy } from '../../../shared/plain-copy.js'
import type { ListCheck } from '../../options/check-list.js'
import type { CallResult } from '../../responses/call-result.js'
import type { HostTokens } from '../../tokens/token-source.js'

/** The result of the hosted call with this item id. At least one field of {@link CallResult} is required. */
export type ToolResult = CallResult & {
  /** The id of the call's item, as `response.output_item.added` had it. Another id throws `bad_result`. */
  readonly itemId: string
  /** The tool's message, if the host adds it to the transcript at the same time. */
  readonly transcript?: HostTokens['host']
} & {
    [Said in keyof CallResult]-?: Required<Pick<CallResult, Said>>
  }[keyof CallResult]

/**
 * Checks and copies a result.
 *
 * @param known - the lists that a result can have: {@link resultLists}
 * @throws HarmonyResponsesError `bad_result`
 */
export function checkResult(result: ToolResult, known: readonly (readonly [string, ListCheck])[]): ToolResult {
  // From the host, unchecked: each field is checked below.
  const given = Object(result) as { [field: string]: unknown }
  const { message } = Object(given['error']) as { message?: unknown }
  const lists = known.filter(([name]) => given[name] !== undefined)
  const { output } = given
  check(output === undefined || typeof output === 'string', 'toolResult.output', 'a string', output, 'bad_result')
  const saysSomething = typeof output === 'string' || typeof message === 'string' || lists.length > 0
  const expected = ['an itemId, and an output, an error', ...known.map(([name]) => name)].join(' or ')
  const got = Object.keys(given).join(', ') || result
  check(typeof given['itemId'] === 'string' && saysSomething, 'toolResult', expected, got, 'bad_result')
  for (const [name, checked] of lists) checked(given[name], `toolResult.${name}`)
  return plainCopy('toolResult', result, 'bad_result')
}

/** Returns a result as one text: the tool's text, or its data as JSON. */
export function textOfResult(result: CallResult): string {
  return result.output ?? JSON.stringify(Object.values(result).find(Array.isArray))
}

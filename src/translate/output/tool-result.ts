import { check } from '../../errors.js'
import type { CallResult, CitedPage } from '../../responses/call-result.js'
import type { HostTokens } from '../../tokens/token-source.js'
import { checkList } from '../options/check-list.js'
import { plainCopy } from '../plain-copy.js'

/** The result of the hosted call with this item id. At least one field of {@link CallResult} is required. */
export type ToolResult = CallResult & {
  readonly itemId: string
  /** The tool's message, if the host adds it to the transcript at the same time. */
  readonly transcript?: HostTokens['host']
} & {
    [Said in keyof CallResult]-?: Required<Pick<CallResult, Said>>
  }[keyof CallResult]

/** The lists that a result may have, and the required fields of their entries. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  outputs: ['type'],
  sources: ['url'],
  pages: ['url'],
  shell: ['stdout', 'stderr'],
}

/**
 * Checks and copies a result.
 *
 * @throws HarmonyResponsesError `bad_result`
 */
export function checkResult(result: ToolResult): ToolResult {
  // From the host, unchecked: each field is checked below.
  const given = Object(result) as unknown as { [field: string]: unknown }
  const { message } = Object(given['error']) as { message?: unknown }
  const lists = Object.keys(LISTS).filter((name) => given[name] !== undefined)
  const { output } = given
  check(output === undefined || typeof output === 'string', 'toolResult.output', 'a string', output, 'bad_result')
  const saysSomething = typeof output === 'string' || typeof message === 'string' || lists.length > 0
  const expected = `an itemId, and an output, an error or ${Object.keys(LISTS).join(', ')}`
  const got = Object.keys(given).join(', ') || result
  check(typeof given['itemId'] === 'string' && saysSomething, 'toolResult', expected, got, 'bad_result')
  for (const name of lists) checkList(`toolResult.${name}`, given[name], LISTS[name] as readonly string[], 'bad_result')
  for (const { cursor } of (given['pages'] ?? []) as Partial<CitedPage>[]) {
    check(Number.isInteger(cursor), 'toolResult.pages', 'an integer cursor', cursor, 'bad_result')
  }
  return plainCopy('toolResult', result, 'bad_result')
}

/** Returns a result as one text: the tool's text, or its data as JSON. */
export function textOfResult(result: CallResult): string {
  return result.output ?? JSON.stringify(result.outputs ?? result.sources ?? result.pages ?? result.shell)
}

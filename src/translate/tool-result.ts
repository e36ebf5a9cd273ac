import { check } from '../errors.js'
import type { CodeOutput, ShellOutput } from '../responses/items.js'
import type { HostTokens } from '../tokens/token-source.js'
import { checkList } from './check-list.js'
import type { CitedPage } from './pages.js'
import { plainCopy } from './plain-copy.js'

/** What a host's tool made of a call. A tool message of the transcript is an `output`. */
export interface CallResult {
  /** What the tool said. */
  readonly output?: string
  /** Of a code interpreter: what the code printed, and its images. */
  readonly outputs?: readonly CodeOutput[]
  /** Of a web search: what it found. Shown where the request includes `web_search_call.action.sources`. */
  readonly sources?: readonly { readonly url: string }[]
  /** Of a web search: the pages that it showed the model, by the cursors under which the model may cite them. */
  readonly pages?: readonly CitedPage[]
  /** Of a shell: what each command wrote, and how it ended. */
  readonly shell?: readonly ShellOutput[]
  /** Why it failed. A numeric `code` is the MCP protocol's, or a command's exit code. */
  readonly error?: { readonly code?: string | number; readonly message: string }
}

/** What became of a hosted call, by the id of its item. It says at least one thing. */
export type ToolResult = CallResult & {
  readonly itemId: string
  /** The tool's message as the host puts it into the transcript, where it does so at the same time. */
  readonly transcript?: HostTokens['host']
} & {
    [Said in keyof CallResult]-?: Required<Pick<CallResult, Said>>
  }[keyof CallResult]

/** The lists that a result may have, and what each of their entries has to say. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  outputs: ['type'],
  sources: ['url'],
  pages: ['url'],
  shell: ['stdout', 'stderr'],
}

/**
 * A result as a copy of its own, checked.
 *
 * @throws HarmonyResponsesError `bad_result`, with what was expected and what came
 */
export function checkResult(result: ToolResult): ToolResult {
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

/** A result as one text: what the tool said, or what it gave, as JSON. */
export function textOfResult(result: CallResult): string {
  return result.output ?? JSON.stringify(result.outputs ?? result.sources ?? result.pages ?? result.shell)
}

import type { AttachmentPolicy } from '../endpoint/prompt/attachments.js'
import {
  type HistoryEntry,
  type Prompt,
  type RenderPromptOptions,
  RequestError,
  renderPrompt,
} from '../endpoint/prompt/index.js'
import { type FixtureChunk, readTokenFixture } from '../engines/sources/token-fixture.js'
import { HarmonyResponsesError, loadTokenTable, type PolicyName } from '../index.js'
import { type Io, messageOf, nameOf, readFileOrStdin, UsageError } from './io.js'
import { promptText, showPrompt } from './show-prompt.js'

/** The values of `prompt`'s options, by name. */
export interface PromptValues {
  readonly text: boolean
  readonly tokens: boolean
  readonly date: string | undefined
  readonly images: AttachmentPolicy
  readonly policy: PolicyName
  readonly history: readonly string[]
}

/** Prints the prompt of a request. Returns the exit code. */
export async function promptFile(values: PromptValues, file: string, io: Io): Promise<number> {
  const { text, tokens, images, policy, date = io.today() } = values
  if (text && tokens) throw new UsageError('--text: expected no --tokens beside it, only one can be printed')
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) {
    throw new UsageError(`--date: expected YYYY-MM-DD, got ${JSON.stringify(date)}`)
  }

  const request = parse(await readFileOrStdin(file, io), file)
  const history: HistoryEntry[] = []
  for (const path of values.history) history.push(await readHistory(path, io))
  const tokenTable = await loadTokenTable()
  const rendered = render(request, { tokenTable, date, images, policy, history }, file)

  if (tokens) await io.print(`${JSON.stringify([...rendered.tokens])}\n`)
  else if (text) await io.print(promptText(rendered.tokens, tokenTable))
  else for (const piece of showPrompt(rendered, tokenTable, io.screen)) await io.print(piece)
  return 0
}

/** Parses any JSON: the renderer rejects values that are no request. */
function parse(text: string, file: string): object {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${nameOf(file)}: expected JSON, got invalid JSON: ${messageOf(error)}`, { cause: error })
  }
}

function render(request: object, options: RenderPromptOptions, file: string): Prompt {
  try {
    return renderPrompt(request, options)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    const { message, param, code } = error.body.error
    const about = [...(param === null ? [] : [`param ${param}`]), ...(code === null ? [] : [`code ${code}`])].join(', ')
    const place = about === '' ? '' : ` (${about})`
    throw new UsageError(`${nameOf(file)}: ${message}${place}`, { cause: error })
  }
}

async function readHistory(file: string, io: Io): Promise<HistoryEntry> {
  const text = await readFileOrStdin(file, io)
  try {
    return { tokens: readTokenFixture(text).tokens.flatMap(idsOf) }
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    throw new UsageError(`--history: ${nameOf(file)}: ${error.message}`, { cause: error })
  }
}

/** Returns the ids of a chunk, the model's and the host's. */
function idsOf(chunk: FixtureChunk, index: number): readonly number[] {
  if (typeof chunk === 'number') return [chunk]
  if (typeof chunk === 'object' && 'id' in chunk) return [chunk.id]
  const ids = typeof chunk === 'object' && 'host' in chunk ? chunk.host : chunk
  if (Array.isArray(ids)) return ids.map((token) => (typeof token === 'number' ? token : token.id))
  throw new HarmonyResponsesError('bad_fixture', `tokens[${index}]: expected token ids, got text`)
}

import { HarmonyResponsesError, loadTokenTable, type PolicyName, policies } from '../index.js'
import { ATTACHMENT_POLICIES } from '../prompt/attachments.js'
import {
  type HistoryEntry,
  type Prompt,
  type RenderPromptOptions,
  RequestError,
  renderPrompt,
} from '../prompt/index.js'
import { type FixtureChunk, readTokenFixture } from '../sources/token-fixture.js'
import { type Command, defineCommand, oneFile, oneOf } from './command.js'
import { type Io, messageOf, nameOf, readFileOrStdin, UsageError } from './io.js'
import { promptText, showPrompt } from './show-prompt.js'

export const prompt: Command = defineCommand({
  name: 'prompt',
  operands: 'FILE',
  summary: 'shows the prompt of a Responses request',
  help: `FILE is the JSON body of a create request, with previous_response_id and item references resolved.

  --text                    prints the prompt as it is, control tokens as literal markers: for another program, since
                            text that spells a marker looks like one, and nothing in it is escaped
  --tokens                  prints the token ids as one JSON array
  --date YYYY-MM-DD         the date that the model is told (default: today, in UTC)
  --images refuse-last      images and files in the user's last message are an error; all others are [image] and
                            [file NAME] (default)
           refuse           they are an error anywhere
           placeholder      they are [image] and [file NAME] anywhere
  --policy openai           teaches tools as the translator of this policy accepts them; as for replay
  --history FIXTURE         the tokens of an earlier response, as a token fixture: what the request repeats of it is
                            rendered with the very same ids; repeatable
  --help

Without --text and --tokens: every message with its author, recipient and channel, the item that it came from, its
tokens, and its text. <\\|end|> is text that spells a marker.

Exit codes: 0 rendered, 2 wrong usage, an unreadable file, or a request that cannot be rendered.
`,
  options: {
    text: { type: 'boolean', default: false },
    tokens: { type: 'boolean', default: false },
    date: { type: 'string' },
    images: { type: 'string', default: 'refuse-last' },
    policy: { type: 'string' },
    history: { type: 'string', multiple: true, default: [] as string[] },
  },
  async run(values, operands, io) {
    const file = oneFile('prompt', operands)
    const images = oneOf(ATTACHMENT_POLICIES, '--images', values.images)
    const policy =
      values.policy === undefined ? 'openai' : oneOf(Object.keys(policies) as PolicyName[], '--policy', values.policy)
    const { text, tokens, date = io.today() } = values
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
  },
})

/** Any JSON: what is no request is refused by the renderer. */
function parse(text: string, file: string): object {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
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

/** The ids of a chunk, the model's and the host's. */
function idsOf(chunk: FixtureChunk, index: number): readonly number[] {
  if (typeof chunk === 'number') return [chunk]
  if (typeof chunk === 'object' && 'id' in chunk) return [chunk.id]
  const ids = typeof chunk === 'object' && 'host' in chunk ? chunk.host : chunk
  if (Array.isArray(ids)) return ids.map((token) => (typeof token === 'number' ? token : token.id))
  throw new HarmonyResponsesError('bad_fixture', `tokens[${index}]: expected token ids, got text`)
}

import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import { UNKNOWN_POLICIES } from '../../core/diagnostics/unknown-parts.js'
import { ATTACHMENT_POLICIES } from '../../endpoint/prompt/attachments.js'
import { PASSED_PATHS } from '../../engines/contract/engine-server.js'
import { NAMED_BACKENDS } from '../../engines/sources/structured-outputs/backends.js'
import { policies } from '../../index.js'
import { didYouMean } from '../../shared/did-you-mean.js'
import { type Io, messageOf, nameOf, readFileOrStdin, UsageError } from '../io.js'
import { DIALECTS } from '../replay.js'
import { LIMIT_NAMES } from './limits.js'
import { APPROVALS, REASONING, type ServeValues } from './settings.js'

const text = z.string().min(1)
const texts = z.array(text)
const count = z.int().min(1)

/** Every option except `--config`, by name. The compiler requires a line for each option of `serve`. */
const OPTIONS = {
  replay: z
    .union([z.boolean(), text])
    .describe('Plays recordings (token fixtures), else a script: true, or a folder or file.'),
  script: text.describe('A file of turns that a scripted model plays.'),
  model: text.describe('A GGUF file of a gpt-oss model, by llama.cpp.'),
  vllm: text.describe('The URL of vLLM.'),
  sglang: text.describe('The URL of SGLang.'),
  'llama-server': text.describe("The URL of llama.cpp's server."),
  'skip-model-check': z.boolean().describe('Whether to trust a server that cannot prove that its model is gpt-oss.'),
  'structured-outputs': z
    .enum(NAMED_BACKENDS)
    .describe('The grammar backend of vLLM or SGLang. Default: asked of the server.'),
  pass: z
    .array(z.enum(PASSED_PATHS))
    .describe('The paths that the server of vllm, sglang or llama-server answers itself.'),
  mcp: z.record(text, text).describe('MCP servers by their labels: commands or URLs.'),
  'mcp-config': text.describe('A file of MCP servers in the format of Claude Desktop (JSON) or Codex (TOML).'),
  offer: texts.describe(
    'MCP servers whose tools are offered to every response: labels, or LABEL=COMMAND or LABEL=URL.',
  ),
  'file-search': texts.describe('Folders whose files file_search searches: DIR, or DIR=ID.'),
  'offered-calls': z
    .enum(['shown', 'hidden'])
    .describe('Whether the Responses API shows the calls of tools that a request does not declare. Default shown.'),
  instructions: text.describe("A file of instructions that precede every client's."),
  approval: z
    .enum(Object.keys(APPROVALS) as (keyof typeof APPROVALS)[])
    .describe("Which calls of MCP tools need the user's approval, whatever a request says. Default request."),
  host: text.describe('The address to listen on. Default 127.0.0.1.'),
  port: z.int().min(0).max(65_535).describe('The port to listen on. Default 8000; 0 picks a free one.'),
  origin: texts.describe('The sites whose pages may send requests, such as https://chat.example.com.'),
  'api-key': text.describe('The key that clients have to send. Better in HARMONY_RESPONSES_API_KEY.'),
  'api-keys': text.describe(
    'A file of further keys: lines of OWNER and the SHA-256 of its key. SIGHUP reads it again.',
  ),
  'no-key': z.boolean().describe('Whether to serve every client without a key, also through proxies.'),
  'seal-keys': text.describe('A file of the keys that seal what clients keep for the server, one a line.'),
  store: text.describe('A SQLite database that stores responses. Default: none, so that nothing survives a restart.'),
  durability: z
    .enum(['process', 'power'])
    .describe(
      'Whether an answer that was shown survives the end of the process or a power failure, with store. Default process.',
    ),
  'model-alias': texts.describe('Further names of the model besides gpt-oss. All others are then refused.'),
  reasoning: z
    .enum(Object.keys(REASONING) as (keyof typeof REASONING)[])
    .describe(
      'How reasoning is shown. Default request: as a summary where a request asks for one, else as reasoning text.',
    ),
  'chat-reasoning': z
    .enum(['reasoning_content', 'reasoning', 'both'])
    .describe('The field of the reasoning in Chat Completions. Default reasoning_content.'),
  'chat-calls': z
    .enum(['hidden', 'reasoning'])
    .describe('Whether reasoning in Chat Completions names the calls that the server runs. Default hidden.'),
  policy: z
    .enum(Object.keys(policies) as (keyof typeof policies)[])
    .describe('How calls to undeclared tools are handled. Default openai.'),
  dialect: z.enum(DIALECTS).describe('How events are worded. Default openai.'),
  images: z.enum(ATTACHMENT_POLICIES).describe('How images and files are handled. Default refuse-last.'),
  unknown: z.enum(UNKNOWN_POLICIES).describe('How unknown fields and types in requests are handled. Default skip.'),
  'unsupported-constraints': z
    .enum(['relax', 'refuse'])
    .describe('How a strict schema is handled that the engine cannot enforce completely. Default relax.'),
  'context-size': count.describe("The model's context in tokens, with model, vllm or sglang."),
  parallel: count.describe('Concurrent responses. Default 256, with model 1.'),
  limit: z
    .partialRecord(z.enum(LIMIT_NAMES as [string, ...string[]]), z.number().min(0))
    .describe('Limits of the server, by name.'),
  'on-disconnect': z
    .union([z.enum(['stop', 'finish']), z.int().min(0)])
    .describe('How a response is handled whose client leaves: stop, finish, or seconds to wait. Default stop.'),
  delay: z.int().min(0).describe('Milliseconds before each token of replay or script.'),
  record: text.describe("A folder for a token fixture of each response: the model's text, not its input."),
  date: text.describe(
    'The date that the model is told, YYYY-MM-DD, or none. Default: the day on which the conversation began.',
  ),
  'time-zone': text.describe('The time zone of that day, such as Europe/Rome. Default: UTC.'),
  'share-prefix-cache': z
    .boolean()
    .describe("Whether owners share the engine's prefix cache. Default false: each has its own, where the engine can."),
  audit: text.describe('A file to which a line of JSON is appended for each tool call.'),
  'audit-arguments': z.boolean().describe('Whether those lines include the arguments of the calls, which are content.'),
  log: z.enum(['text', 'json']).describe('How requests are logged. Default text.'),
  verbose: z.boolean().describe('Draws the timeline of each response.'),
} satisfies Record<keyof Required<ServeValues>, z.ZodType>

const configShape = z
  .strictObject({ $schema: z.string().describe('Where this JSON Schema is.'), ...OPTIONS })
  .partial()
  .meta({ title: 'harmony-responses serve --config', description: 'Options of serve, by their names.' })

/** Returns the JSON Schema of a configuration, for editors. The package contains it as `serve-config.schema.json`. */
export function configSchema(): object {
  return z.toJSONSchema(configShape, { target: 'draft-2020-12' })
}

/**
 * The values of a configuration, as if typed. Its `replay` may name a folder, which is an operand on the command line.
 */
export interface ConfigValues {
  readonly values: ServeValues
  readonly operands: readonly string[]
}

/** @throws UsageError */
export async function readConfig(file: string, io: Io): Promise<ConfigValues> {
  const where = `--config ${nameOf(file)}`
  let value: unknown
  try {
    value = JSON.parse(await readFileOrStdin(file, io))
  } catch (error) {
    if (error instanceof UsageError) throw error
    // Some of Node's messages quote the file, which may contain a key.
    const reason = messageOf(error).replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '')
    throw new UsageError(`${where}: expected JSON: ${reason}`, { cause: error })
  }
  const { data, error } = configShape.safeParse(value)
  if (data === undefined) throw new UsageError(`${where}: ${wordsOf(error.issues[0] as z.core.$ZodIssue)}`)
  const { $schema: _, replay, mcp = {}, limit = {}, ...others } = data
  const given = Object.entries(others).map(([name, option]) => [name, typedOf(option)])
  return {
    operands: typeof replay === 'string' ? [replay] : [],
    values: {
      ...(Object.fromEntries(given) as ServeValues),
      ...(replay !== undefined && { replay: replay !== false }),
      mcp: Object.entries(mcp).map(([label, target]) => `${label}=${target}`),
      limit: Object.entries(limit).map(([name, number]) => `${name}=${number}`),
    },
  }
}

/** Converts a value: on the command line, all options but flags are texts. */
function typedOf<Option>(option: Option): string | Option {
  return typeof option === 'number' ? String(option) : option
}

function wordsOf({ code, path, message, ...issue }: z.core.$ZodIssue): string {
  const place = path.length === 0 ? '' : `${toDotPath(path)}: `
  if (code !== 'unrecognized_keys') return `${place}${message}`
  // Cast: an issue of this code has keys, but the code does not narrow the rest of a destructured union.
  const [key = ''] = (issue as { keys: readonly string[] }).keys
  const [what, names] = path[0] === 'limit' ? ['a limit', LIMIT_NAMES] : ['an option of serve', Object.keys(OPTIONS)]
  return `${place}expected ${what}, got ${JSON.stringify(key)}${didYouMean(key, names)}`
}

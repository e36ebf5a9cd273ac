import { FUNCTIONS } from '../../core/harmony/namespaces.js'
import { CHANNELS } from '../../core/harmony/vocabulary.js'
import { check } from '../../shared/errors.js'
import type { ToolNamespace } from './tool-namespace.js'
import { toolsSection } from './tools-section.js'

export interface SystemTextOptions {
  /** The identity that the model is told. Default: the sentence that it was trained with. */
  readonly identity?: string | undefined
  /** The knowledge cut-off. Default: `2024-06`, that of gpt-oss. */
  readonly knowledgeCutoff?: string | undefined
  /** The current date, `YYYY-MM-DD`. Absent: the model is told no date. */
  readonly date?: string | undefined
  /** The reasoning effort. Default: `medium`. */
  readonly effort?: 'low' | 'medium' | 'high' | undefined
  /** The built-in tools: `builtinNamespaces`. Default: none. */
  readonly builtins?: readonly ToolNamespace[] | undefined
  /** Whether the developer message declares tools in the namespace `functions`. */
  readonly hasFunctions: boolean
}

/**
 * Returns the text of the system message, like the official renderer's system content.
 *
 * @throws HarmonyResponsesError `bad_option` if `date` or `effort` is invalid
 */
export function systemText(options: SystemTextOptions): string {
  const { identity = IDENTITY, knowledgeCutoff = '2024-06', date, effort = 'medium', builtins = [] } = options
  check(date === undefined || /^\d{4}-\d\d-\d\d$/.test(date), 'date', "a date as 'YYYY-MM-DD'", date)
  check(EFFORTS.includes(effort), 'effort', `one of ${EFFORTS.join(', ')}`, effort)
  const about = [identity, `Knowledge cutoff: ${knowledgeCutoff}`]
  if (date !== undefined) about.push(`Current date: ${date}`)
  const sections = [about.join('\n'), `Reasoning: ${effort}`]
  if (builtins.length > 0) sections.push(toolsSection(builtins))
  sections.push(options.hasFunctions ? `${VALID_CHANNELS}\n${FUNCTION_CHANNEL}` : VALID_CHANNELS)
  return sections.join('\n\n')
}

const IDENTITY = 'You are ChatGPT, a large language model trained by OpenAI.'
const EFFORTS = ['low', 'medium', 'high'] as const
const VALID_CHANNELS = `# Valid channels: ${CHANNELS.join(', ')}. Channel must be included for every message.`
const FUNCTION_CHANNEL = `Calls to these tools must go to the commentary channel: '${FUNCTIONS}'.`

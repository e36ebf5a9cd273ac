import { type Signal, signal } from '@preact/signals'
import type { AboutPage } from '../../cli/serve/about-page.js'
import { LOGPROBS } from '../../core/text/logprobs.js'
import { save, saved } from '../api/saved.js'

/** What requests ask for besides their input. Texts are as they were typed. */
export interface Settings {
  readonly model: string
  readonly effort: '' | 'low' | 'medium' | 'high'
  /** Whether the server tells how likely each token of the answer was. */
  readonly logprobs: boolean
  readonly instructions: string
  /** The names of the server's tools that the model may use. */
  readonly tools: readonly string[]
  readonly approval: 'always' | 'never'
  /** A JSON Schema of the answer. */
  readonly schema: string
  /** Functions that the user answers: a JSON array of tools. */
  readonly functions: string
}

const DEFAULTS: Settings = {
  model: '',
  effort: '',
  logprobs: false,
  instructions: '',
  tools: [],
  approval: 'always',
  schema: '',
  functions: '',
}

export const settings: Signal<Settings> = signal<Settings>({ ...DEFAULTS, ...(saved('settings') as object) })

/** Changes some of the settings, and keeps them for this tab. */
export function changeSettings(changes: Partial<Settings>): void {
  settings.value = { ...settings.value, ...changes }
  save('settings', settings.value)
}

export type Declaration = AboutPage['tools'][number]

/** The name of a tool of the server: the label of an MCP server, else its type. */
export function nameOfTool(tool: Declaration): string {
  return 'server_label' in tool && typeof tool.server_label === 'string' ? tool.server_label : tool.type
}

/** Why a setting cannot be sent. */
export class SettingError extends Error {
  readonly setting: 'schema' | 'functions'

  constructor(setting: 'schema' | 'functions', message: string) {
    super(message)
    this.setting = setting
  }
}

/** Details of calls that the API leaves out unless a request asks for them. */
const INCLUDE: readonly string[] = [
  'code_interpreter_call.outputs',
  'web_search_call.action.sources',
  'file_search_call.results',
]

/** How many likely tokens are told with each. */
const TOP_LOGPROBS = 3

/** Returns what the settings add to a request. @throws SettingError */
export function requestFields(given: Settings, about: AboutPage): object {
  const { model, effort, logprobs, instructions, approval, schema, functions } = given
  const chosen = about.tools.filter((tool) => given.tools.includes(nameOfTool(tool)))
  const tools = [
    ...chosen.map((tool) => (tool.type === 'mcp' ? { ...tool, require_approval: approval } : tool)),
    ...functionsOf(functions),
  ]
  return {
    model: about.models.includes(model) ? model : about.models[0],
    ...(instructions.trim() !== '' && { instructions }),
    ...(effort !== '' && { reasoning: { effort } }),
    ...(tools.length > 0 && { tools }),
    ...(schema.trim() !== '' && {
      text: { format: { type: 'json_schema', name: 'answer', schema: objectOf('schema', schema), strict: true } },
    }),
    include: logprobs ? [...INCLUDE, LOGPROBS] : INCLUDE,
    ...(logprobs && { top_logprobs: TOP_LOGPROBS }),
  }
}

function functionsOf(text: string): unknown[] {
  if (text.trim() === '') return []
  const value = jsonOf('functions', text)
  if (Array.isArray(value)) return value
  throw new SettingError('functions', 'Expected an array of tools: [{"type": "function", "name": …}]')
}

function objectOf(setting: 'schema', text: string): object {
  const value = jsonOf(setting, text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new SettingError(setting, 'Expected a JSON Schema: {"type": "object", …}')
}

function jsonOf(setting: SettingError['setting'], text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new SettingError(setting, `This is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

import type { z } from 'zod'
import type { ParsedToolChoice } from '../../../core/responses/parsed-request.js'
import type { HostedToolType, NamedTool } from '../../../core/responses/request-parameters.js'
import { byType, either, key, list, nameLike, oneOf, optional, typed } from './builders.js'

const hosted = <const Type extends HostedToolType>(type: Type): z.ZodType<{ type: Type }> => typed(type, {})

const HOSTED: { readonly [Type in HostedToolType]: z.ZodType<{ type: Type }> } = {
  apply_patch: hosted('apply_patch'),
  code_interpreter: hosted('code_interpreter'),
  computer: hosted('computer'),
  computer_use: hosted('computer_use'),
  computer_use_preview: hosted('computer_use_preview'),
  file_search: hosted('file_search'),
  image_generation: hosted('image_generation'),
  local_shell: hosted('local_shell'),
  programmatic_tool_calling: hosted('programmatic_tool_calling'),
  shell: hosted('shell'),
  web_search: hosted('web_search'),
  web_search_2025_08_26: hosted('web_search_2025_08_26'),
  web_search_preview: hosted('web_search_preview'),
  web_search_preview_2025_03_11: hosted('web_search_preview_2025_03_11'),
}

/** One word, like the recipients that the prompt teaches: the host writes it in a header, and an error repeats it. */
const mcpToolName = nameLike(/^[\w.:/@-]+$/, 128)

const NAMED: { readonly [type: string]: z.ZodType<NamedTool> } = {
  function: typed('function', { name: key }),
  custom: typed('custom', { name: key }),
  mcp: typed('mcp', { server_label: optional(key), name: optional(mcpToolName) }),
  ...HOSTED,
}

/** The schemas of all tool choices that are objects. */
export const TOOL_CHOICES: { readonly [type: string]: z.ZodType<Exclude<ParsedToolChoice, string>> } = {
  ...NAMED,
  allowed_tools: typed('allowed_tools', {
    mode: oneOf('auto', 'required'),
    tools: list('objects', byType<NamedTool>(NAMED)),
  }),
}

export const toolChoice: z.ZodType<ParsedToolChoice> = either(
  "one of an object or one of 'none', 'auto', or 'required'",
  oneOf('none', 'auto', 'required'),
  byType<Exclude<ParsedToolChoice, string>>(TOOL_CHOICES),
)

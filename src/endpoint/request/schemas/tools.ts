import type { z } from 'zod'
import type { BuiltinTool } from '../../../core/recipients/builtin-tools.js'
import type { BuiltinWires } from '../../../core/responses/items.js'
import type {
  ApplyPatchTool,
  CodeInterpreterTool,
  CustomTool,
  EchoedOnlyTool,
  FileSearchFilter,
  FileSearchTool,
  FunctionTool,
  LocalShellTool,
  McpTool,
  McpToolFilter,
  NamespaceTool,
  RequestTool,
  ShellTool,
  WebSearchTool,
} from '../../../core/responses/request-tools.js'
import {
  anyObject,
  anything,
  byType,
  decimal,
  decimalFrom,
  either,
  flag,
  integerFrom,
  list,
  loose,
  nameLike,
  object,
  oneOf,
  optional,
  record,
  text,
  texts,
  typed,
} from './builders.js'

/** The name of a function or custom tool, as OpenAI checks it. */
const toolName = nameLike(/^[a-zA-Z0-9_-]+$/, 128)
/** The name of a namespace or MCP server. The model writes it in a header, which a blank would end. */
const groupName = nameLike(/^[a-zA-Z0-9_.-]+$/, 128)
const allowed_callers = optional(list('strings', oneOf('direct', 'programmatic')))

const functionTool: z.ZodType<FunctionTool> = typed('function', {
  name: toolName,
  description: optional(text),
  parameters: optional(anyObject),
  strict: optional(flag),
  output_schema: optional(anyObject),
  async: optional(flag),
  defer_loading: optional(flag),
  allowed_callers,
})

const customTool: z.ZodType<CustomTool> = typed('custom', {
  name: toolName,
  description: optional(text),
  format: optional(
    byType<NonNullable<CustomTool['format']>>({
      text: typed('text', {}),
      grammar: typed('grammar', { syntax: oneOf('lark', 'regex'), definition: text }),
    }),
  ),
  async: optional(flag),
  defer_loading: optional(flag),
  allowed_callers,
})

const namespaceTool: z.ZodType<NamespaceTool> = typed('namespace', {
  name: groupName,
  description: optional(text),
  tools: list(
    'objects',
    byType<FunctionTool | CustomTool>({ function: functionTool, custom: customTool }, (type) =>
      Object.hasOwn(TOOLS, type),
    ),
  ),
})

const filter: z.ZodType<McpToolFilter> = object({ tool_names: optional(texts), read_only: optional(flag) })

const mcpTool: z.ZodType<McpTool> = typed('mcp', {
  server_label: groupName,
  server_description: optional(text),
  server_url: optional(text),
  connector_id: optional(text),
  tunnel_id: optional(text),
  authorization: optional(text),
  headers: optional(record(text)),
  allowed_tools: optional(either('one of an array of strings or object', texts, filter)),
  require_approval: optional(
    either(
      "one of 'always', 'never', or object",
      oneOf('always', 'never'),
      object({ always: optional(filter), never: optional(filter) }),
    ),
  ),
  defer_loading: optional(flag),
  allowed_callers,
})

const shellTool: z.ZodType<ShellTool> = typed('shell', {
  environment: optional(loose({ type: text, container_id: optional(text) })),
  allowed_callers,
})

const codeInterpreterTool: z.ZodType<CodeInterpreterTool> = typed('code_interpreter', {
  container: optional(either('one of a string or object', text, loose({ type: text }))),
  allowed_callers,
})

function webSearchTool<const Type extends WebSearchTool['type']>(type: Type): z.ZodType<WebSearchTool> {
  return typed(type, {
    search_context_size: optional(oneOf('low', 'medium', 'high')),
    search_content_types: optional(list('strings', oneOf('text', 'image'))),
    external_web_access: optional(flag),
    filters: optional(object({ allowed_domains: optional(texts), blocked_domains: optional(texts) })),
    user_location: optional(
      object({
        type: optional(oneOf('approximate')),
        city: optional(text),
        country: optional(text),
        region: optional(text),
        timezone: optional(text),
      }),
    ),
  })
}

const comparison = (type: Comparison['type']): z.ZodType<Comparison> =>
  typed(type, {
    key: text,
    value: either(
      'one of a string, decimal, boolean, or array',
      either('a string or decimal', text, decimal),
      either('a boolean or array', flag, list('strings or decimals', either('a string or decimal', text, decimal))),
    ),
  })

const combination = (type: Combination['type']): z.ZodType<Combination> =>
  typed(type, { filters: list('objects', anything) })

type Comparison = Extract<FileSearchFilter, { key: string }>
type Combination = Exclude<FileSearchFilter, Comparison>

const fileFilter: z.ZodType<FileSearchFilter> = byType<FileSearchFilter>({
  eq: comparison('eq'),
  ne: comparison('ne'),
  gt: comparison('gt'),
  gte: comparison('gte'),
  lt: comparison('lt'),
  lte: comparison('lte'),
  in: comparison('in'),
  nin: comparison('nin'),
  and: combination('and'),
  or: combination('or'),
})

const fileSearchTool: z.ZodType<FileSearchTool> = typed('file_search', {
  vector_store_ids: texts,
  filters: optional(fileFilter),
  max_num_results: optional(integerFrom(1, 50)),
  ranking_options: optional(
    object({
      ranker: optional(text),
      score_threshold: optional(decimalFrom(0, 1)),
      hybrid_search: optional(object({ embedding_weight: decimal, text_weight: decimal })),
    }),
  ),
})

const localShellTool: z.ZodType<LocalShellTool> = typed('local_shell', {})

const applyPatchTool: z.ZodType<ApplyPatchTool> = typed('apply_patch', { allowed_callers })

/** A tool that is only echoed: its parameters are passed on unchanged. */
function echoed(type: EchoedOnlyTool['type']): z.ZodType<EchoedOnlyTool> {
  return loose({ type: oneOf(type) })
}

const ECHOED: { readonly [Type in EchoedOnlyTool['type']]: z.ZodType<EchoedOnlyTool> } = {
  computer: echoed('computer'),
  computer_use_preview: echoed('computer_use_preview'),
  image_generation: echoed('image_generation'),
  programmatic_tool_calling: echoed('programmatic_tool_calling'),
  tool_search: echoed('tool_search'),
}

const BUILTINS: { readonly [Tool in BuiltinTool]: z.ZodType<BuiltinWires[Tool]['tool']> } = {
  web_search: webSearchTool('web_search'),
  file_search: fileSearchTool,
  code_interpreter: codeInterpreterTool,
  shell: shellTool,
  local_shell: localShellTool,
  apply_patch: applyPatchTool,
}

/** The schemas of all tools that a request can declare. */
export const TOOLS: { readonly [type: string]: z.ZodType<RequestTool> } = {
  function: functionTool,
  custom: customTool,
  namespace: namespaceTool,
  mcp: mcpTool,
  web_search_2025_08_26: webSearchTool('web_search_2025_08_26'),
  web_search_preview: webSearchTool('web_search_preview'),
  web_search_preview_2025_03_11: webSearchTool('web_search_preview_2025_03_11'),
  ...BUILTINS,
  ...ECHOED,
}

export const tools: z.ZodType<RequestTool[]> = list('objects', byType<RequestTool>(TOOLS))

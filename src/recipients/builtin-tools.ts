/**
 * The built-in tools that gpt-oss models were trained to call, by the type with which a request declares them. If you
 * add a name, the compiler asks for it below and for what a call becomes (`builtins.ts`).
 */
export type BuiltinTool = 'code_interpreter' | 'web_search' | 'shell' | 'local_shell' | 'apply_patch'

const BUILTINS: Readonly<Record<BuiltinTool, true>> = {
  code_interpreter: true,
  web_search: true,
  shell: true,
  local_shell: true,
  apply_patch: true,
}

/** The built-in tool that a request tool of this type declares. */
export function builtinOf(type: string): BuiltinTool | undefined {
  const undated = undatedType(type)
  return Object.hasOwn(BUILTINS, undated) ? (undated as BuiltinTool) : undefined
}

/** A tool's type without its version: `web_search` of `web_search_preview` and of `web_search_2025_08_26`. */
export function undatedType(type: string): string {
  return type.replace(/^(web_search)(_preview)?(_\d{4}_\d\d_\d\d)?$/, '$1')
}

/** The built-in tools that an MCP server of this label replaces: the model calls them, and the server answers. */
const REPLACED: ReadonlyMap<string, BuiltinTool> = /* @__PURE__ */ new Map([
  ['code_interpreter', 'code_interpreter'],
  ['web_search_preview', 'web_search'],
  ['container', 'shell'],
])

/** The built-in tool that an MCP server replaces by its label, if it lists nothing. */
export function replacedByServer(label: string): BuiltinTool | undefined {
  return REPLACED.get(label)
}

/**
 * The built-in tools that gpt-oss models were trained to call. If you add a name, the compiler asks for the request's
 * tool type (below) and for what a call becomes (`builtins.ts`).
 */
export type BuiltinTool = 'code_interpreter' | 'web_search' | 'shell' | 'local_shell'

/** The `type` with which a request declares each of them. */
const TYPES: Readonly<Record<BuiltinTool, RegExp>> = {
  code_interpreter: /^code_interpreter$/,
  /** `web_search`, `web_search_preview`, and either with a date: `web_search_2025_08_26`. */
  web_search: /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/,
  shell: /^shell$/,
  local_shell: /^local_shell$/,
}

/** The built-in tool that a request tool of this type declares. */
export function builtinOf(type: string): BuiltinTool | undefined {
  return (Object.keys(TYPES) as BuiltinTool[]).find((tool) => TYPES[tool].test(type))
}

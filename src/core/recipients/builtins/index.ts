/*
 * The descriptors of the built-in tools, by the type with which a request declares each. One line per tool: all other code
 * derives its tables from them (`builtin-tools.ts`).
 */

export { applyPatch as apply_patch } from './apply-patch.js'
export { codeInterpreter as code_interpreter } from './code-interpreter.js'
export { fileSearch as file_search } from './file-search.js'
export { localShell as local_shell } from './local-shell.js'
export { shell } from './shell.js'
export { webSearch as web_search } from './web-search.js'

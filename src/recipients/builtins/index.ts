/*
 * The descriptors of the built-in tools, by the type with which a request declares each: a line for a tool. What teaches,
 * demands, runs, inserts, reads back and answers calls follows from them (`builtin-tools.ts`).
 */

export { applyPatch as apply_patch } from './apply-patch.js'
export { codeInterpreter as code_interpreter } from './code-interpreter.js'
export { fileSearch as file_search } from './file-search.js'
export { localShell as local_shell } from './local-shell.js'
export { shell } from './shell.js'
export { webSearch as web_search } from './web-search.js'

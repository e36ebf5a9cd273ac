/* The kinds of items of built-in tools, by item type. One line per tool. */

export { applyPatchCall as apply_patch_call } from './apply-patch-call.js'
export { codeInterpreterCall as code_interpreter_call } from './code-interpreter-call.js'
export { fileSearchCall as file_search_call } from './file-search-call.js'
export { localShellCall as local_shell_call } from './local-shell-call.js'
export { shellCall as shell_call } from './shell-call.js'
export { webSearchCall as web_search_call } from './web-search-call.js'

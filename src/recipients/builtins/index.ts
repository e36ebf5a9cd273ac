import { applyPatch } from './apply-patch.js'
import { codeInterpreter } from './code-interpreter.js'
import { localShell } from './local-shell.js'
import { shell } from './shell.js'
import { webSearch } from './web-search.js'

/** The descriptors of the built-in tools, by the type with which a request declares each. */
export interface Descriptors {
  readonly code_interpreter: typeof codeInterpreter
  readonly web_search: typeof webSearch
  readonly shell: typeof shell
  readonly local_shell: typeof localShell
  readonly apply_patch: typeof applyPatch
}

export const DESCRIPTORS: Descriptors = {
  code_interpreter: codeInterpreter,
  web_search: webSearch,
  shell,
  local_shell: localShell,
  apply_patch: applyPatch,
}

import { type CreateClassifier, createClassifier as classifierOfTools } from '../recipients/classify.js'
import { declareTools } from '../recipients/declared-tools.js'
import { narrowToFormat } from '../recipients/format-classifier.js'
import { ALL_FIELDS } from './all-fields.js'
import type { Catalog } from './catalog.js'
import { checkCitations } from './check-citations.js'
import { CORE_KINDS } from './core-catalog.js'
import { citedMessage } from './items/cited-message.js'
import { codeInterpreterCall } from './items/code-interpreter-call.js'
import type { AllKinds } from './items/kinds.js'
import { localShellCall } from './items/local-shell-call.js'
import { shellCall } from './items/shell-call.js'
import { shellCallOutput } from './items/shell-call-output.js'
import { webSearchCall } from './items/web-search-call.js'

const ALL_KINDS: AllKinds = {
  ...CORE_KINDS,
  message: citedMessage,
  code_interpreter_call: codeInterpreterCall,
  web_search_call: webSearchCall,
  shell_call: shellCall,
  shell_call_output: shellCallOutput,
  local_shell_call: localShellCall,
}

/** By the declared tools, narrowed by what the request demands. */
const createClassifier: CreateClassifier = (request, tools, policy) =>
  narrowToFormat(request, classifierOfTools(request, tools, policy))

/** Everything. */
export const FULL_CATALOG: Catalog = {
  kinds: ALL_KINDS,
  declareTools,
  createClassifier,
  fields: ALL_FIELDS,
  checkCitations,
}

import { CHAT_SCENARIOS } from '../chat/scenarios.js'
import { MESSAGES_SCENARIOS } from '../messages/scenarios.js'
import type { Scenario } from '../scenario.js'
import { abort } from './abort.js'
import { malformedJson, missingInput, unknownModel, unknownPrevious, wrongTypes } from './bad-input.js'
import { call, callWhole, twoTools } from './call.js'
import { cancel } from './cancel.js'
import { jsonSchema } from './json-schema.js'
import { longReasoning } from './long-reasoning.js'
import { plain } from './plain.js'
import { previousResponse } from './previous-response.js'
import { resume } from './resume.js'
import { strictBodies } from './strict-bodies.js'
import { toolChoice } from './tool-choice.js'
import { parallelCalls, toolLoop } from './tool-loop.js'
import { truncation } from './truncation.js'

/** All scenarios, in order. Those that may crash the server come last. */
export const SCENARIOS: readonly Scenario[] = [
  plain,
  call,
  callWhole,
  twoTools,
  parallelCalls,
  toolLoop,
  toolChoice,
  jsonSchema,
  strictBodies,
  longReasoning,
  truncation,
  malformedJson,
  missingInput,
  wrongTypes,
  unknownModel,
  unknownPrevious,
  previousResponse,
  resume,
  cancel,
  ...CHAT_SCENARIOS,
  ...MESSAGES_SCENARIOS,
  abort,
]

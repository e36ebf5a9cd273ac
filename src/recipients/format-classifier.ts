import type { ResponseRequest } from '../responses/request.js'
import type { Classifier } from './classify.js'

/** What of a request says what its answer has to be. */
export interface Formatted {
  readonly text?: ResponseRequest['text'] | undefined
}

/** Whether the request demands an answer that is JSON: `text.format` is `json_schema` or `json_object`. */
export function isAnswerJson({ text }: Formatted): boolean {
  const type = text?.format?.type
  return type === 'json_schema' || type === 'json_object'
}

/**
 * Narrows a classifier where the answer has to be JSON: what the model writes on the final channel alone is a message.
 * Clients parse the text of all messages, so preambles and prose without a header are reasoning.
 */
export function narrowToFormat(request: Formatted, classify: Classifier): Classifier {
  if (!isAnswerJson(request)) return classify
  return (recipient, channel) => {
    const found = classify(recipient, channel)
    return found.kind === 'message' && channel !== 'final' ? { kind: 'reasoning' } : found
  }
}

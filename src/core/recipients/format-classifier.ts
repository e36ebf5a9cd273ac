import type { ResponseRequest } from '../responses/request.js'
import type { Classifier } from './classify.js'

/** The part of a request that determines the format of its answer. */
export interface Formatted {
  readonly text?: ResponseRequest['text'] | undefined
}

/** Whether the request demands JSON: `text.format` is `json_schema` or `json_object`. */
export function isAnswerJson({ text }: Formatted): boolean {
  const type = text?.format?.type
  return type === 'json_schema' || type === 'json_object'
}

/**
 * Narrows a classifier if the answer has to be JSON: only text on the final channel is a message. Preambles and prose
 * without a header become reasoning, because clients parse the text of all messages.
 */
export function narrowToFormat(request: Formatted, classify: Classifier): Classifier {
  if (!isAnswerJson(request)) return classify
  return (recipient, channel) => {
    const found = classify(recipient, channel)
    return found.kind === 'message' && channel !== 'final' ? { kind: 'reasoning' } : found
  }
}

import type { ChatAnswerOptions } from './answer-options.js'
import { Origins } from './origins.js'

/** What a body becomes, while it is read. */
export class Draft {
  readonly request: { [parameter: string]: unknown } = {}
  readonly origins: Origins = new Origins()
  readonly tools: object[] = []
  answer: ChatAnswerOptions = {}

  /** Sets a parameter. @param theirs - its path in the body, if it has another */
  put(parameter: string, value: unknown, theirs: string = parameter): void {
    this.request[parameter] = value
    if (theirs !== parameter) this.origins.rename(parameter, theirs)
  }

  /** Sets a field of a parameter that is an object. */
  putIn(parameter: string, field: string, value: unknown, theirs: string): void {
    this.request[parameter] = { ...(this.request[parameter] as object | undefined), [field]: value }
    this.origins.rename(`${parameter}.${field}`, theirs)
  }
}

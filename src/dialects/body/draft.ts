import type { RequestError } from '../../shared/request-error.js'
import { Origins } from './origins.js'

/** A request under construction, filled from a body. */
export class BodyDraft {
  readonly request: { [parameter: string]: unknown } = {}
  readonly origins: Origins
  readonly tools: object[] = []

  /** @param partOf - see {@link Origins} */
  constructor(partOf: (path: string) => string) {
    this.origins = new Origins(partOf)
  }

  /** Sets a parameter. @param theirs - its path in the body, if different */
  put(parameter: string, value: unknown, theirs: string = parameter): void {
    this.request[parameter] = value
    if (theirs !== parameter) this.origins.rename(parameter, theirs)
  }

  /** Returns the request, and a function that words refusals of it in terms of the body. */
  finish(): Pick<BodyDraft, 'request'> & { refusal(error: RequestError): RequestError } {
    if (this.tools.length > 0) this.put('tools', this.tools)
    const { request, origins } = this
    return { request, refusal: (error) => origins.refusal(error) }
  }

  /** Sets a field of a parameter that is an object. */
  putIn(parameter: string, field: string, value: unknown, theirs: string): void {
    this.request[parameter] = { ...(this.request[parameter] as object | undefined), [field]: value }
    this.origins.rename(`${parameter}.${field}`, theirs)
  }
}

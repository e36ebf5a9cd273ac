import type { RequestError } from '../../request-error.js'
import { Origins } from './origins.js'

/** What a body becomes, while it is read. */
export class BodyDraft {
  readonly request: { [parameter: string]: unknown } = {}
  readonly origins: Origins
  readonly tools: object[] = []

  /** @param partOf - as {@link Origins} has it */
  constructor(partOf: (path: string) => string) {
    this.origins = new Origins(partOf)
  }

  /** Sets a parameter. @param theirs - its path in the body, if it has another */
  put(parameter: string, value: unknown, theirs: string = parameter): void {
    this.request[parameter] = value
    if (theirs !== parameter) this.origins.rename(parameter, theirs)
  }

  /** The request, and what is refused of it in the words of the body. */
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

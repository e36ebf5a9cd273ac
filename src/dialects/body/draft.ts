import type { Diagnostic } from '../../core/diagnostics/diagnostic.js'
import { UNKNOWN_POLICIES, UnknownParts, type UnknownPolicy } from '../../core/diagnostics/unknown-parts.js'
import type { OptionTable } from '../../shared/options/check-options.js'
import { aFunction, oneOf } from '../../shared/options/checks.js'
import { invalidValue, type RequestError, unknownParameter } from '../../shared/request-error.js'
import { Origins } from './origins.js'

/** What becomes of the parts of a body that nobody knows. */
export interface UnknownOptions {
  /**
   * How to treat parameters that the API does not have, and content of types that nobody knows. `skip` (default): they
   * are left out; of content in a message the model reads the `text`, or the type. `refuse`: an error.
   */
  readonly unknown?: UnknownPolicy
  /** Receives what was left out: one `unknown_input` for each request that has any. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
}

export const UNKNOWN_OPTIONS: OptionTable<UnknownOptions> = {
  unknown: oneOf(...UNKNOWN_POLICIES),
  onDiagnostic: aFunction,
}

/** A request under construction, filled from a body. */
export class BodyDraft {
  readonly request: { [parameter: string]: unknown } = {}
  readonly origins: Origins
  readonly tools: object[] = []

  readonly #unknown: UnknownOptions
  readonly #skipped = new UnknownParts()

  /** @param partOf - see {@link Origins} */
  constructor(partOf: (path: string) => string, unknown: UnknownOptions) {
    this.origins = new Origins(partOf)
    this.#unknown = unknown
  }

  /** Leaves a parameter out that the API does not have. @throws RequestError if those are refused */
  skipParameter(name: string): void {
    if (this.#unknown.unknown === 'refuse') throw unknownParameter(name)
    this.#skipped.add([name])
  }

  /**
   * Leaves content of an unknown type out.
   *
   * @param path - of the content: `messages[3].content[0]`
   * @param known - the types that are known there
   * @throws RequestError if unknown types are refused
   */
  skipContent(path: string, type: string, known: readonly string[]): void {
    if (this.#unknown.unknown === 'refuse') throw invalidValue(`${path}.type`, type, known)
    this.leaveOut(path, type)
  }

  /** Reports what this library knows and has no use for. @param type - of content */
  leaveOut(path: string, type?: string): void {
    const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
    this.#skipped.add(
      steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
      type,
    )
  }

  /** Sets a parameter. @param theirs - its path in the body, if different */
  put(parameter: string, value: unknown, theirs: string = parameter): void {
    this.request[parameter] = value
    if (theirs !== parameter) this.origins.rename(parameter, theirs)
  }

  /** Returns the request, and a function that words refusals of it in terms of the body. */
  finish(): Pick<BodyDraft, 'request'> & { refusal(error: RequestError): RequestError } {
    if (this.tools.length > 0) this.put('tools', this.tools)
    const diagnostic = this.#skipped.diagnostic()
    if (diagnostic !== undefined) this.#unknown.onDiagnostic?.(diagnostic)
    const { request, origins } = this
    return { request, refusal: (error) => origins.refusal(error) }
  }

  /** Sets a field of a parameter that is an object. */
  putIn(parameter: string, field: string, value: unknown, theirs: string): void {
    this.request[parameter] = { ...(this.request[parameter] as object | undefined), [field]: value }
    this.origins.rename(`${parameter}.${field}`, theirs)
  }
}

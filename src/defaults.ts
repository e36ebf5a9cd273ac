/*
 * The impure defaults: the system's clock, a random response id and the console. No file below this one uses them; each
 * can be overridden by an option.
 */

import { clientFailure, NEUTRAL } from './core/completion/failure.js'
import type {
  TranslateOptions as CoreTranslateOptions,
  TranslatorOptions as CoreTranslatorOptions,
} from './core/options/options.js'
import { merged } from './shared/merged.js'
import { unixSeconds } from './shared/system/unix-seconds.js'

type Defaulted = 'responseId' | 'clock'

/** The core's options. `responseId` (random) and `clock` (the system's) have defaults here. All are optional. */
export interface TranslatorOptions
  extends Omit<CoreTranslatorOptions, Defaulted>,
    Partial<Pick<CoreTranslatorOptions, Defaulted>> {}

/** {@link TranslatorOptions} and a `signal`, for the pulling side. All are optional. */
export interface TranslateOptions
  extends Omit<CoreTranslateOptions, Defaulted>,
    Partial<Pick<CoreTranslateOptions, Defaulted>> {}

/** Fills in the defaults of the options, which the core checks. */
export function withDefaults<Options extends TranslatorOptions>(
  options: Options,
): Options & Pick<CoreTranslatorOptions, Defaulted> {
  // Returned as it is, so that the core rejects it.
  if (typeof options !== 'object' || options === null) return options
  const { responseId = randomResponseId(), clock = unixSeconds, onError = logError } = options
  return merged(options, { responseId, clock, onError })
}

/** Logs errors that would otherwise be lost. The client is sent only an engine's complaint about its request. */
function logError(error: unknown): void {
  if (clientFailure(error) === NEUTRAL) console.error(error)
}

/** Returns `resp_` and 50 random hexadecimal digits, so that the id of another owner's response cannot be guessed. */
export function randomResponseId(): string {
  return randomId('resp_')
}

/** Returns a prefix and 50 random hexadecimal digits. */
export function randomId(prefix: string): string {
  let id = prefix
  for (const byte of crypto.getRandomValues(new Uint8Array(25))) id += HEX[byte]
  return id
}

/** Each byte as two digits: made for each id, they take a hundredth of a short answer's time. */
const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

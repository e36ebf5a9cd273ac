import type { TranslatorOptions } from '../../src/core/options/options.js'
import { Translator as CoreTranslator } from '../../src/core/translate/translator.js'
import { checkSnapshot, type TranslatorSnapshot } from '../../src/core/translate/translator-snapshot.js'

/** The translator below its defaults: nothing in it is random or asks for the time. */
export class Translator extends CoreTranslator {
  static restore(snapshot: TranslatorSnapshot, options: TranslatorOptions): Translator {
    return new Translator(options, checkSnapshot(snapshot, options))
  }
}

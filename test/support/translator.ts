import type { TranslatorOptions } from '../../src/core/options/options.js'
import { FULL_CATALOG } from '../../src/core/translate/full-catalog.js'
import { Translator as AnyTranslator, withHostItems } from '../../src/core/translate/translator.js'
import { checkSnapshot, type TranslatorSnapshot } from '../../src/core/translate/translator-snapshot.js'

const CATALOG = withHostItems(FULL_CATALOG)

/** The translator below its defaults, with everything: nothing in it is random or asks for the time. */
export class Translator extends AnyTranslator {
  constructor(options: TranslatorOptions, snapshot?: TranslatorSnapshot) {
    super(options, CATALOG, snapshot)
  }

  static restore(snapshot: TranslatorSnapshot, options: TranslatorOptions): Translator {
    return new Translator(options, checkSnapshot(snapshot, options, CATALOG))
  }
}
